/** Adds an account and its routes to the text of `atelier.yaml`; every other line stays as it was written. */
import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isSeq, parse, parseDocument } from 'yaml';

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
export function addAccount(text: string, added: AddedAccount): string {
  const edited = parseDocumentWith(text, added);
  const kept = withLinesOf(text, edited);
  // Lines are matched without their spaces: should that ever change a value, the file is written in one style.
  return isDeepStrictEqual(parse(kept), parse(edited)) ? kept : edited;
}

function parseDocumentWith(text: string, { name, settings, models }: AddedAccount): string {
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
function membersOf(document: Document, key: 'accounts' | 'routes') {
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
