import type { Command } from 'commander';
import type { FileObject } from '../../../client/src/index.ts';
import { uploadFile } from './build-input.ts';
import { withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, openCommandContext } from './command-context.ts';
import { alignColumns } from './command-output.ts';

export function registerFiles(program: Command): void {
  const files = program.command('files').description("one's own uploads");
  withClientOptions(files.command('upload'))
    .description('uploads files; their ids stand for them in every media field')
    .argument('<path...>')
    .action(uploadCommand);
  withClientOptions(files.command('get'))
    .description('a file, with a fresh address')
    .argument('<file_id>')
    .action(getCommand);
  withClientOptions(files.command('ls')).description('the newest first').action(listCommand);
  withClientOptions(files.command('rm'))
    .description('ends files')
    .argument('<file_id...>')
    .action(removeCommand);
}

async function uploadCommand(paths: readonly string[], options: ClientCommandOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  for (const path of paths) {
    const file = await uploadFile(client, path);
    output.printResult(file, () => [`${file.id}  ${path}`]);
  }
}

async function getCommand(id: string, options: ClientCommandOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  const file = await client.files.get(id);
  output.printResult(file, () => [...alignColumns([rowOf(file)]), file.url]);
}

async function listCommand(options: ClientCommandOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  const page = await client.files.list({ limit: 100 });
  output.printResult(page.data, () =>
    page.data.length === 0 ? ['No files.'] : alignColumns(page.data.map(rowOf)),
  );
  if (page.has_more) output.note('There are more: the newest 100 are shown.');
}

async function removeCommand(ids: readonly string[], options: ClientCommandOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  for (const id of ids) {
    await client.files.delete(id);
    output.printResult({ id, deleted: true }, () => [`${id}  gone`]);
  }
}

const rowOf = (file: FileObject): readonly string[] => [
  file.id,
  file.mime_type,
  `${file.bytes} B`,
  `until ${new Date(file.expires_at * 1000).toISOString()}`,
  file.filename,
];
