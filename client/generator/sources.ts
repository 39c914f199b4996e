/** The generated files of the client: types and descriptions of every model, with the parts of a family written once. */

import { describe } from '../../src/catalog/describe.ts';
import { models } from '../../src/catalog/index.ts';
import type { Family, Model } from '../../src/catalog/model.ts';
import { docComment } from '../../src/cli/client/types/doc-comment.ts';
import { type InputMember, inputMembers } from '../../src/cli/client/types/input-type.ts';
import { bodiesSource } from './body-types.ts';

const head =
  '// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.\n';

const bodiesHead =
  '// Made from src/answers by `npm run generate -w atelier-client`: change the schemas instead.\n\n';

type Description = ReturnType<typeof describe>;

/** A model with what is written of it. */
interface Entry {
  readonly model: Model;
  /** As JSON publishes it, so without infinities and undefined members. */
  readonly description: Description;
  readonly members: readonly InputMember[];
}

/** What two or more models of a family have in common, to the letter. */
interface SharedParts {
  readonly family: Family;
  readonly members: readonly InputMember[];
  /** JSON Schemas of fields, by name. */
  readonly properties: ReadonlyMap<string, string>;
  /** JSON of whole members of the descriptions. */
  readonly sections: ReadonlyMap<'rules' | 'examples', string>;
}

/** Every file of client/src/generated, by its name. */
export function generatedSources(): ReadonlyMap<string, string> {
  const entries = models.map(entryOf);
  const families = [...Map.groupBy(entries, ({ model }) => model.family)].map(([family, members]) => ({
    entries: members,
    shared: sharedParts(family, members),
  }));
  return new Map([
    ['bodies.ts', bodiesHead + bodiesSource()],
    ...families
      .filter(({ shared }) => isUsed(shared))
      .map(({ shared }): [string, string] => [`${shared.family}.ts`, head + familySource(shared)]),
    ...families.flatMap(({ entries, shared }) =>
      entries.map((entry): [string, string] => [`${entry.model.id}.ts`, head + modelSource(entry, shared)]),
    ),
    ['model-map.ts', head + mapSource()],
    ['inputs.ts', head + models.map(inputExport).join('')],
    ['descriptions.ts', head + models.map(descriptionExport).join('')],
  ]);
}

function entryOf(model: Model): Entry {
  const description: Description = JSON.parse(JSON.stringify(describe(model)));
  return { model, description, members: inputMembers(description.input_schema) };
}

function sharedParts(family: Family, entries: readonly Entry[]): SharedParts {
  const members = repeated(
    entries.map(entry => entry.members),
    ({ name }) => name,
    ({ source }) => source,
  );
  const properties = repeated(
    entries.map(({ description }) => Object.entries(propertiesOf(description))),
    ([name]) => name,
    ([, schema]) => JSON.stringify(schema),
  );
  const sections = repeated(
    entries.map(({ description: { rules, examples } }) => [
      ['rules', JSON.stringify(rules)] as const,
      ['examples', JSON.stringify(examples)] as const,
    ]),
    ([name]) => name,
    ([, json]) => json,
  );
  return {
    family,
    members,
    properties: new Map(properties.map(([name, schema]) => [name, JSON.stringify(schema)])),
    // Most models have no rules: an empty list is shorter where it stands.
    sections: new Map(sections.filter(([, json]) => json !== '[]')),
  };
}

/** The items that occur twice or more with the same name and text, once each; of a name with several, the first. */
function repeated<Item>(
  lists: readonly (readonly Item[])[],
  nameOf: (item: Item) => string,
  textOf: (item: Item) => string,
): readonly Item[] {
  const keyOf = (item: Item) => `${nameOf(item)} ${textOf(item)}`;
  const groups = Map.groupBy(lists.flat(), keyOf);
  const candidates = [...groups.values()].flatMap(([first, second]) => (first && second ? [first] : []));
  return [...Map.groupBy(candidates, nameOf).values()].flatMap(([first]) => (first ? [first] : []));
}

const isUsed = ({ members, properties, sections }: SharedParts): boolean =>
  members.length + properties.size + sections.size > 0;

const propertiesOf = ({ input_schema: { properties = {} } }: Description) => properties;

/** The types and the JSON Schemas that models of one family share. */
function familySource({ family, members, properties, sections }: SharedParts): string {
  const keys = [...properties.keys()].map(name => `'${name}'`).join(' | ');
  const schemas = Object.fromEntries([...properties].map(([name, json]) => [name, JSON.parse(json)]));
  return [
    `import type { ${sections.size > 0 ? 'JsonSchema, ModelDescription' : 'JsonSchema'} } from '../bodies.ts';`,
    '',
    `/** Fields that two or more models of the ${family} family have in common. */`,
    `export interface ${fieldsType(family)} {\n${members.map(({ source }) => source).join('')}}`,
    '',
    `/** Their JSON Schemas. */`,
    `export const ${family}Properties: Readonly<Record<${keys}, JsonSchema>> = ${JSON.stringify(schemas, null, 2)};`,
    '',
    ...[...sections].flatMap(([name, json]) => [
      `/** The ${name} that the models have in common. */`,
      `export const ${family}${capital(name)}: ModelDescription['${name}'] = ${JSON.stringify(JSON.parse(json), null, 2)};`,
      '',
    ]),
  ].join('\n');
}

/** A type for those who write an input, and data for those who draw a form. */
function modelSource({ model, description, members }: Entry, shared: SharedParts): string {
  const rules = description.rules.map(({ says, fields }) => `- ${fields[0]}: ${says}`);
  const doc = docComment([`${description.title}. ${description.summary}`, ...rules], '');
  const inherited = members.filter(member => shared.members.some(one => isSame(one, member)));
  const specific = members.filter(member => !inherited.includes(member));
  const data = dataSource(description, shared);
  const values = [`${shared.family}Properties`, `${shared.family}Rules`, `${shared.family}Examples`];
  const imports = [
    ...(inherited.length > 0 ? [`type ${fieldsType(shared.family)}`] : []),
    ...values.filter(name => data.includes(name)),
  ].toSorted((a, b) => a.replace('type ', '').localeCompare(b.replace('type ', '')));
  return [
    "import type { ModelDescription } from '../bodies.ts';",
    ...(imports.length > 0 ? [`import { ${imports.join(', ')} } from './${shared.family}.ts';`] : []),
    '',
    `${doc}export ${inputDeclaration(model, inherited, specific, shared)}`,
    '',
    `export const ${constantName(model)}: ModelDescription = ${data};`,
    '',
  ].join('\n');
}

const isSame = (one: InputMember, other: InputMember): boolean =>
  one.name === other.name && one.source === other.source;

/** An interface that takes what it can from the family's; a type of the same name where that is all. */
function inputDeclaration(
  model: Model,
  inherited: readonly InputMember[],
  specific: readonly InputMember[],
  shared: SharedParts,
): string {
  const name = typeName(model);
  const body = `{\n${specific.map(({ source }) => source).join('')}}`;
  if (inherited.length === 0) return `interface ${name} ${body}`;
  const fields = fieldsType(shared.family);
  const isAll = inherited.length === shared.members.length;
  const base = isAll ? fields : `Pick<${fields}, ${inherited.map(one => `'${one.name}'`).join(' | ')}>`;
  return specific.length === 0 ? `type ${name} = ${base};` : `interface ${name} extends ${base} ${body}`;
}

/** The JSON of a description, in which shared parts are the names of the family's constants. */
function dataSource(description: Description, { family, properties, sections }: SharedParts): string {
  const { input_schema, rules, examples, ...rest } = description;
  const references = new Map<string, string>();
  const referTo = (source: string): string => {
    const mark = `@@${references.size}@@`;
    references.set(`"${mark}"`, source);
    return mark;
  };
  const section = (name: 'rules' | 'examples', value: unknown) =>
    sections.get(name) === JSON.stringify(value) ? referTo(`${family}${capital(name)}`) : value;
  const fields = Object.entries(propertiesOf(description)).map(([name, schema]) => [
    name,
    properties.get(name) === JSON.stringify(schema) ? referTo(`${family}Properties.${name}`) : schema,
  ]);
  const marked = {
    ...rest,
    input_schema: { ...input_schema, properties: Object.fromEntries(fields) },
    rules: section('rules', rules),
    examples: section('examples', examples),
  };
  return JSON.stringify(marked, null, 2).replaceAll(/"@@\d+@@"/g, mark => references.get(mark) ?? mark);
}

function mapSource(): string {
  const imports = models.map(model => `import type { ${typeName(model)} } from './${model.id}.ts';\n`);
  const members = models.map(
    model =>
      `  readonly '${model.id}': { readonly input: ${typeName(model)}; readonly output: ${results[model.kind]} };\n`,
  );
  return [
    "import type { ImageResult, SpeechResult, VideoResult } from '../bodies.ts';\n",
    ...imports,
    '\n/** What each model takes and gives. */\n',
    `export interface ModelMap {\n${members.join('')}}\n`,
  ].join('');
}

const inputExport = (model: Model) => `export type { ${typeName(model)} } from './${model.id}.ts';\n`;
const descriptionExport = (model: Model) => `export { ${constantName(model)} } from './${model.id}.ts';\n`;

const results: Readonly<Record<Model['kind'], string>> = {
  video: 'VideoResult',
  image: 'ImageResult',
  speech: 'SpeechResult',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `eta2.6-t2v` is Eta26T2v. */
const bareName = ({ id }: Model): string => id.replaceAll('.', '').split('-').map(capital).join('');
const typeName = (model: Model): string => `${bareName(model)}Input`;
const constantName = (model: Model): string => bareName(model).replace(/^./, sign => sign.toLowerCase());
const fieldsType = (family: Family): string => `${capital(family)}Fields`;
