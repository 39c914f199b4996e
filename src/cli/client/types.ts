/** `atelier client types`: writes the types of a gateway's own models, for projects that use the typed client. */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ModelDescription } from '../../../client/src/index.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../print.ts';
import { withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, openCommandContext } from './command-context.ts';
import { docComment } from './types/doc-comment.ts';
import { inputMembers } from './types/input-type.ts';

/** Adds `client types`. */
export function registerTypes(program: Command): void {
  const client = program.command('client').description('for programs that use the typed client');
  withClientOptions(client.command('types'))
    .description("write the TypeScript types of the models that the gateway's operator added")
    .option('--out <file>', 'the file, such as src/atelier-models.d.ts (default: stdout)')
    .action(writeTypesCommand);
}

/** Options as written. */
interface TypesOptions extends ClientCommandOptions {
  readonly out?: string;
}

/** `family` of the models that an operator added; the others have their types in the client. */
const customFamily = 'own';

/** Reads every model of the operator's own, one after the other. Throws where the file cannot be written. */
async function writeTypesCommand(options: TypesOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  const listed = await client.models.list();
  const own = listed.filter(({ family }) => family === customFamily);
  const models: ModelDescription[] = [];
  for (const { id } of own) models.push(await client.models.get(id));
  const source = typesOf(models);
  if (options.out === undefined) return print(source.trimEnd());
  await writeFile(options.out, source).catch(() => {
    throw new CommandError(`${options.out} cannot be written: name a file in a folder that exists.`);
  });
  output.note(`${options.out}: the types of ${models.length} ${models.length === 1 ? 'model' : 'models'}`);
}

/** The types of the client that results of each kind have. */
const resultTypes = { video: 'VideoResult', image: 'ImageResult', speech: 'SpeechResult' } as const;

/** A declaration file that adds the models to the types of the client. */
export function typesOf(models: readonly ModelDescription[]): string {
  const results = [...new Set(models.map(({ kind }) => resultTypes[kind]))].toSorted();
  const imports =
    results.length > 0 ? `import type { ${results.join(', ')} } from 'atelier-client';\n\n` : '';
  const members = models.map(memberOf).join('');
  return [
    '// Written by `atelier client types` from a gateway: write it again when its models change.\n',
    imports,
    `declare module 'atelier-client' {\n  interface CustomModels {\n${members}  }\n}\n`,
    // Without an import or export, the file would replace the module instead of adding to it.
    results.length > 0 ? '' : '\nexport {};\n',
  ].join('');
}

/** One model: what it takes, and what it gives. */
function memberOf({ id, kind, title, summary, input_schema: schema }: ModelDescription): string {
  const fields = inputMembers(schema, '        ').map(({ source }) => source);
  const comment = docComment([`${title}. ${summary}`], '    ');
  const input = `{\n${fields.join('')}      }`;
  return `${comment}    readonly '${id}': {\n      readonly input: ${input};\n      readonly output: ${resultTypes[kind]};\n    };\n`;
}
