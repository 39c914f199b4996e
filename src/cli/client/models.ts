/** `atelier models`: lists the models of a gateway and describes their input. */
import type { Command } from 'commander';
import type { ModelDescription } from '../../../client/src/index.ts';
import { CommandError } from '../command-error.ts';
import type { ImportOptions, ImportSource } from '../import-model.ts';
import { print } from '../print.ts';
import { withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, openCommandContext } from './command-context.ts';
import { alignColumns } from './command-output.ts';
import { isRecord } from './input-fields.ts';

/** Adds `models` and its subcommands. */
export function registerModels(program: Command): void {
  const models = program.command('models').description('list and describe models');
  withClientOptions(models.command('ls', { isDefault: true }))
    .description('list every model, one a line')
    .option('--kind <kind>', 'video, image or speech')
    .action(listModelsCommand);
  withClientOptions(models.command('show'))
    .description('show the input of a model')
    .argument('<model>')
    .option('--schema', 'print its JSON Schema')
    .option('--example', 'print a valid input, for run MODEL --json @FILE')
    .action(showModelCommand);
  registerImports(models);
}

/** The sources of models, with what names one there. */
const sources: readonly (readonly [ImportSource, argument: string, description: string])[] = [
  ['fal', '<endpoint>', 'an endpoint of fal.ai, such as fal-ai/nano-banana-2/edit'],
  ['replicate', '<owner/name>', 'a model of Replicate; OWNER/NAME:VERSION is that version'],
  ['comfyui', '<workflow>', 'a workflow file of ComfyUI, exported by Workflow → Export (API)'],
  ['openapi', '<url>', 'an operation of a server, by the address or file of its OpenAPI document'],
];

/** Adds `models import`, for the operator: it changes atelier.yaml on this machine. */
function registerImports(models: Command): void {
  const imports = models
    .command('import')
    .description('write a model, its mapping and its route into atelier.yaml, from a published schema');
  for (const [source, argument, description] of sources) {
    const command = imports
      .command(source)
      .description(description)
      .argument(argument)
      .option('--id <id>', 'id of the model here (default: from its name there)')
      .option('--account <name>', 'account of the route (default: the only one of the provider)')
      .option('--kind <kind>', 'video, image or speech, where the schema does not say')
      .option('--dry-run', 'print what would be written, and write nothing')
      .option('--replace', 'replace a model of that id, and its routes')
      .option('--json', 'print one line of JSON');
    if (source === 'fal' || source === 'replicate')
      command.option('--schema <source>', 'address or file of the schema, in place of the published one');
    if (source === 'openapi')
      command.option('--operation <path>', 'path of the operation, where there are several');
    command.action(async (name: string, options: ImportOptions) => {
      const { importModelCommand } = await import('../import-model.ts');
      await importModelCommand(source, name, options);
    });
  }
}

/** Values of --kind. */
const kinds = ['video', 'image', 'speech'];

/** One model a line: id, kind, title. */
async function listModelsCommand(options: ClientCommandOptions & { readonly kind?: string }): Promise<void> {
  const { kind } = options;
  if (kind !== undefined && !kinds.includes(kind))
    throw new CommandError(`--kind must be one of ${kinds.join(', ')}`);
  const { client, output } = await openCommandContext(options);
  const listed = (await client.models.list()).filter(model => kind === undefined || model.kind === kind);
  output.printResult(listed, () => alignColumns(listed.map(model => [model.id, model.kind, model.title])));
}

/** Options of `models show`. */
interface ShowOptions extends ClientCommandOptions {
  readonly schema?: true;
  readonly example?: true;
}

/** Schema and example are printed as plain JSON, for files. */
async function showModelCommand(id: string, options: ShowOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  const model = await client.models.get(id);
  if (options.schema) return print(JSON.stringify(model.input_schema, null, 2));
  if (options.example) return print(JSON.stringify(model.examples[0] ?? {}, null, 2));
  output.printResult(model, () => describe(model));
}

/** Title, summary, a line for each field and the rules between them. */
function describe(model: ModelDescription): readonly string[] {
  const { required, properties } = model.input_schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
    const { title, description } = isRecord(schema) ? schema : {};
    const texts = [title, description].filter(text => typeof text === 'string');
    return [`  ${name}`, needed.includes(name) ? 'required' : '', texts.join('. ')];
  });
  return [
    `${model.id}: ${model.title}`,
    model.summary,
    '',
    ...alignColumns(fields),
    ...(model.rules.length === 0 ? [] : ['', ...model.rules.map(({ says }) => `  - ${says}`)]),
    '',
    `An example: atelier models show ${model.id} --example`,
  ];
}
