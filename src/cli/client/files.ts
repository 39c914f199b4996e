import type { Command } from 'commander';
import type { FileObject } from '../../../client/src/index.ts';
import { asking } from './asking.ts';
import { uploadFile } from './build-input.ts';
import { type AskingOptions, openAsking } from './open-client.ts';
import { columns } from './talk.ts';

export function registerFiles(program: Command): void {
  const files = program.command('files').description("one's own uploads");
  asking(files.command('upload'))
    .description('uploads files; their ids stand for them in every media field')
    .argument('<path...>')
    .action(uploadCommand);
  asking(files.command('get'))
    .description('a file, with a fresh address')
    .argument('<file_id>')
    .action(getCommand);
  asking(files.command('ls')).description('the newest first').action(listCommand);
  asking(files.command('rm')).description('ends files').argument('<file_id...>').action(removeCommand);
}

async function uploadCommand(paths: readonly string[], options: AskingOptions): Promise<void> {
  const { client, talk } = await openAsking(options);
  for (const path of paths) {
    const file = await uploadFile(client, path);
    talk.give(file, () => [`${file.id}  ${path}`]);
  }
}

async function getCommand(id: string, options: AskingOptions): Promise<void> {
  const { client, talk } = await openAsking(options);
  const file = await client.files.get(id);
  talk.give(file, () => [...columns([rowOf(file)]), file.url]);
}

async function listCommand(options: AskingOptions): Promise<void> {
  const { client, talk } = await openAsking(options);
  const page = await client.files.list({ limit: 100 });
  talk.give(page.data, () => (page.data.length === 0 ? ['No files.'] : columns(page.data.map(rowOf))));
  if (page.has_more) talk.say('There are more: the newest 100 are shown.');
}

async function removeCommand(ids: readonly string[], options: AskingOptions): Promise<void> {
  const { client, talk } = await openAsking(options);
  for (const id of ids) {
    await client.files.delete(id);
    talk.give({ id, deleted: true }, () => [`${id}  gone`]);
  }
}

const rowOf = (file: FileObject): readonly string[] => [
  file.id,
  file.mime_type,
  `${file.bytes} B`,
  `until ${new Date(file.expires_at * 1000).toISOString()}`,
  file.filename,
];
