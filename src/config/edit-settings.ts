/** Adds accounts, models and routes to the text of `atelier.yaml`; every other line stays as it was written. */
import { isDeepStrictEqual } from 'node:util';
import type { Document, YAMLMap, YAMLSeq } from 'yaml';
import { loadYaml } from '../domain/lazy-packages.ts';

/** What is added. */
export interface AddedAccount {
  readonly name: string;
  /** Its members in `atelier.yaml`, `provider` first. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The models that get a route to it. */
  readonly models: readonly string[];
}

/** The account and its routes alone, as they are shown. */
export const accountYaml = ({ name, settings, models }: AddedAccount): string =>
  parseDocumentWith('', { name, settings, models });

/** The text with the account, and with one more route for each model. `text` must be valid YAML. */
export const addAccount = (text: string, added: AddedAccount): string =>
  keepLinesOf(text, parseDocumentWith(text, added));

/** A model of the operator's own that is added, with its routes. */
export interface AddedModel {
  readonly id: string;
  readonly model: unknown;
  readonly routes: readonly unknown[];
}

/** The model and its routes alone, as they are shown. */
export const modelYaml = (added: AddedModel): string => textWithModel('', added);

/** The text with the model and its routes, in place of those of that id. `text` must be valid YAML. */
export const setModel = (text: string, added: AddedModel): string =>
  keepLinesOf(text, textWithModel(text, added));

function textWithModel(text: string, { id, model, routes }: AddedModel): string {
  const document = loadYaml().parseDocument(text);
  membersOf(document, 'models').set(id, shortInOneLine(document.createNode(model)));
  membersOf(document, 'routes').set(id, shortInOneLine(document.createNode(routes)));
  return document.toString({ lineWidth: 0 });
}

/** Longest list or map that is written in one line. */
const maxLineLength = 100;

/** Lists of values, and the maps in a list, are written in one line where they fit into it. */
function shortInOneLine<Written>(node: Written): Written {
  const { isMap, isScalar, isSeq } = loadYaml();
  if (isMap(node)) for (const { value } of node.items) shortInOneLine(value);
  if (!isSeq(node)) return node;
  node.flow = isShort(node);
  for (const item of node.items) {
    if (isMap(item)) item.flow = item.items.every(({ value }) => isScalar(value)) && isShort(item);
    if (!isMap(item) || !item.flow) shortInOneLine(item);
  }
  return node;
}

function isShort(node: YAMLMap | YAMLSeq): boolean {
  const { isMap, isScalar } = loadYaml();
  return (isMap(node) || node.items.every(isScalar)) && JSON.stringify(node).length <= maxLineLength;
}

/** The edited text with the lines of the text that it was made of. */
function keepLinesOf(text: string, edited: string): string {
  const { parse } = loadYaml();
  const kept = withLinesOf(text, edited);
  // Lines are matched without their spaces: should that ever change a value, the file is written in one style.
  return isDeepStrictEqual(parse(kept), parse(edited)) ? kept : edited;
}

function parseDocumentWith(text: string, { name, settings, models }: AddedAccount): string {
  const { isSeq, parseDocument } = loadYaml();
  const document = parseDocument(text);
  membersOf(document, 'accounts').set(name, document.createNode(settings));
  const routes = models.length === 0 ? null : membersOf(document, 'routes');
  for (const model of models) {
    const route = document.createNode({ account: name }, { flow: true });
    const list = routes?.get(model);
    if (isSeq(list)) list.add(route);
    else routes?.set(model, document.createNode([route], { flow: true }));
  }
  return document.toString({ lineWidth: 0 }).replaceAll(/\[ (\{ account: \S+ \}) \]$/gm, '[$1]');
}

/** The map below a key of the file, created where there is none. */
function membersOf(document: Document, key: 'accounts' | 'models' | 'routes') {
  const { isMap } = loadYaml();
  if (!isMap(document.get(key))) document.set(key, document.createNode({}));
  const members = document.get(key);
  if (!isMap(members)) throw new Error(`expected a map below ${key}`);
  members.flow = false;
  return members;
}

/** The edited text, with each line as it was before where only its spaces differ. */
function withLinesOf(text: string, edited: string): string {
  const plain = (line: string) => line.replaceAll(/(?<=\S)\s+|\s+$/g, '');
  const before = text.split('\n');
  let next = 0;
  return edited
    .split('\n')
    .map(line => {
      const found = before.findIndex((old, index) => index >= next && plain(old) === plain(line));
      if (found < 0 || line.trim() === '') return line;
      next = found + 1;
      return before[found] ?? line;
    })
    .join('\n');
}
