import { readFileSync } from 'node:fs';
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Issue } from './issues.ts';

/** `atelier.yaml` as it is written: what it says, and where. */
export interface SettingsFile {
  readonly value: unknown;
  /** What is wrong with it as YAML, a sentence each. */
  readonly faults: readonly string[];
  /** The sentence of an issue, with the line and column of what it is about. */
  describeIssue(issue: Issue): string;
}

/** Nothing is written, so there is no place to name. */
export const noSettingsFile: SettingsFile = {
  value: {},
  faults: [],
  describeIssue: issue => formatIssue(issue),
};

export function readSettingsFile(path: string): SettingsFile {
  try {
    const lines = new LineCounter();
    const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: lines });
    const at = (offset: number) => {
      const { line, col } = lines.linePos(offset);
      return ` (line ${line}, column ${col})`;
    };
    if (document.errors.length > 0) {
      // The rest of a message is a picture of the line.
      const what = (message: string) => message.split('\n', 1)[0]!.replace(/ at line \d+, column \d+:?$/, '');
      const faults = document.errors.map(({ message, pos }) => `${path}: ${what(message)}${at(pos[0])}`);
      return { ...noSettingsFile, faults };
    }
    const value: unknown = document.toJS() ?? {};
    return {
      value,
      faults: [],
      describeIssue(issue) {
        const offset = offsetOf(document, issue.path);
        return `${path} ${formatIssue(issue)}${offset === null ? '' : at(offset)}`;
      },
    };
  } catch (failure) {
    const why = failure instanceof Error ? failure.message.split('\n', 1)[0] : String(failure);
    return { ...noSettingsFile, faults: [`${path}: ${why}`] };
  }
}

const formatIssue = ({ path, message }: Issue): string => `${path.join('.') || 'file'}: ${message}`;

/** Of the key, or of the item of a list; of the nearest that holds it where it is missing. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | null {
  let at: unknown = document.contents;
  let offset: number | null = null;
  for (const key of path) {
    const held = isAlias(at) ? at.resolve(document) : at;
    if (isMap(held)) {
      const pair = held.items.find(
        item => String(isScalar(item.key) ? item.key.value : item.key) === String(key),
      );
      if (!pair) return offset;
      offset = startOf(pair.key) ?? offset;
      at = pair.value;
    } else if (isSeq(held)) {
      at = held.items[Number(key)];
      offset = startOf(at) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
