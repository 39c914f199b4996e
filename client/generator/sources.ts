import { describe } from '../../src/catalog/describe.ts';
import { models } from '../../src/catalog/index.ts';
import type { Model } from '../../src/catalog/model.ts';
import { docComment } from './doc-comment.ts';
import { inputType } from './input-type.ts';

const head =
  '// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.\n';

/** Every file of client/src/generated, by its name. */
export function generatedSources(): ReadonlyMap<string, string> {
  const files = models.map((model): [string, string] => [`${model.id}.ts`, head + modelSource(model)]);
  return new Map([
    ...files,
    ['model-map.ts', head + mapSource()],
    ['inputs.ts', head + models.map(inputExport).join('')],
    ['descriptions.ts', head + models.map(descriptionExport).join('')],
  ]);
}

/** A type for those who write an input, and data for those who draw a form. */
function modelSource(model: Model): string {
  const described: ReturnType<typeof describe> = JSON.parse(JSON.stringify(describe(model)));
  const rules = described.rules.map(({ says, fields }) => `- ${fields[0]}: ${says}`);
  const doc = docComment([`${described.title}. ${described.summary}`, ...rules], '');
  return [
    "import type { ModelDescription } from '../bodies.ts';",
    '',
    `${doc}export interface ${typeName(model)} ${inputType(described.input_schema)}`,
    '',
    `export const ${constantName(model)}: ModelDescription = ${JSON.stringify(described, null, 2)};`,
    '',
  ].join('\n');
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

/** `eta2.6-t2v` is Eta26T2v. */
const bareName = ({ id }: Model): string =>
  id
    .replaceAll('.', '')
    .split('-')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
const typeName = (model: Model): string => `${bareName(model)}Input`;
const constantName = (model: Model): string => bareName(model).replace(/^./, sign => sign.toLowerCase());
