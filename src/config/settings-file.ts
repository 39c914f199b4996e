/** Reads `atelier.yaml` and keeps the position of each member, so that a fault names its line and column. */
import { readFileSync } from 'node:fs';
import type { Document } from 'yaml';
import { loadYaml } from '../domain/lazy-packages.ts';
import type { Issue } from './issues.ts';

/** The content of `atelier.yaml`, not validated yet. */
export interface SettingsFile {
  readonly value: unknown;
  /** Faults of the YAML itself, a sentence each. */
  readonly faults: readonly string[];
  /** The sentence of an issue, with the line and column of the member. */
  describeIssue(issue: Issue): string;
}

/** Without a file there are no positions. */
export const noSettingsFile: SettingsFile = {
  value: {},
  faults: [],
  describeIssue: issue => formatIssue(issue),
};

/** Never throws: an unreadable file is a fault. */
export function readSettingsFile(path: string): SettingsFile {
  try {
    return parseSettingsText(readFileSync(path, 'utf8'), path);
  } catch (failure) {
    return { ...noSettingsFile, faults: [faultOf(path, failure)] };
  }
}

const faultOf = (path: string, failure: unknown): string =>
  `${path}: ${failure instanceof Error ? failure.message.split('\n', 1)[0] : String(failure)}`;

/** Text of such a file; `path` is what its faults name. Never throws. */
export function parseSettingsText(written: string, path: string): SettingsFile {
  try {
    const { LineCounter, parseDocument } = loadYaml();
    const lines = new LineCounter();
    const document = parseDocument(written, { lineCounter: lines });
    const at = (offset: number) => {
      const { line, col } = lines.linePos(offset);
      return ` (line ${line}, column ${col})`;
    };
    if (document.errors.length > 0) {
      // After the first line, the message shows the line of the file.
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
    return { ...noSettingsFile, faults: [faultOf(path, failure)] };
  }
}

const formatIssue = ({ path, message }: Issue): string => `${path.join('.') || 'file'}: ${message}`;

/** The offset of the key or the list item; of the nearest member around it where it is missing. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | null {
  const { isAlias, isMap, isScalar, isSeq } = loadYaml();
  let at: unknown = document.contents;
  let offset: number | null = null;
  for (const key of path) {
    const node = isAlias(at) ? at.resolve(document) : at;
    if (isMap(node)) {
      const pair = node.items.find(
        item => String(isScalar(item.key) ? item.key.value : item.key) === String(key),
      );
      if (!pair) return offset;
      offset = startOf(pair.key) ?? offset;
      at = pair.value;
    } else if (isSeq(node)) {
      at = node.items[Number(key)];
      offset = startOf(at) ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

const startOf = (node: unknown): number | undefined =>
  loadYaml().isNode(node) ? node.range?.[0] : undefined;
