/** `atelier files`: uploads, lists, shows and deletes files of the user. */
import type { Command } from 'commander';
import type { FileObject } from '../../../client/src/index.ts';
import { uploadFile } from './build-input.ts';
import { withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, openCommandContext } from './command-context.ts';
import { alignColumns } from './command-output.ts';

/** Adds `files` and its subcommands. */
export function registerFiles(program: Command): void {
  const files = program.command('files').description('manage your uploaded files');
  withClientOptions(files.command('upload'))
    .description('upload files; use their ids in any media field')
    .argument('<path...>')
    .action(uploadCommand);
  withClientOptions(files.command('get'))
    .description('show a file with a new signed URL')
    .argument('<file_id>')
    .action(getCommand);
  withClientOptions(files.command('ls')).description('list files, newest first').action(listCommand);
  withClientOptions(files.command('rm'))
    .description('delete files')
    .argument('<file_id...>')
    .action(removeCommand);
}

/** One result for each file, so that ids can be read line by line. */
async function uploadCommand(paths: readonly string[], options: ClientCommandOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  for (const path of paths) {
    const file = await uploadFile(client, path);
    output.printResult(file, () => [`${file.id}  ${path}`]);
  }
}

/** The file with its address, which is valid for an hour (Contract 8). */
async function getCommand(id: string, options: ClientCommandOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  const file = await client.files.get(id);
  output.printResult(file, () => [...alignColumns([rowOf(file)]), file.url]);
}

/** The newest hundred; the API has older ones. */
async function listCommand(options: ClientCommandOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  const page = await client.files.list({ limit: 100 });
  output.printResult(page.data, () =>
    page.data.length === 0 ? ['No files.'] : alignColumns(page.data.map(rowOf)),
  );
  if (page.has_more) output.note('There are more: the newest 100 are shown.');
}

/** One after the other: the first that is refused ends the command, and those before it are deleted. */
async function removeCommand(ids: readonly string[], options: ClientCommandOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  for (const id of ids) {
    await client.files.delete(id);
    output.printResult({ id, deleted: true }, () => [`${id}  deleted`]);
  }
}

/** A line of the table: id, type, size, end and name. */
const rowOf = (file: FileObject): readonly string[] => [
  file.id,
  file.mime_type,
  `${file.bytes} B`,
  `until ${new Date(file.expires_at * 1000).toISOString()}`,
  file.filename,
];
