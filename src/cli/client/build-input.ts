import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from '../../../client/src/index.ts';
import { fromJson } from '../../domain/json.ts';
import { CommandError } from '../command-error.ts';
import type { CommandContext } from './command-context.ts';
import { isRecord, parseField, setField } from './input-fields.ts';

/** Where an input comes from, on a command line. */
export interface InputOptions {
  /** `NAME=VALUE`, as arguments and by -i. */
  readonly fields: readonly string[];
  /** `NAME=@PATH`: uploaded, and named by its id. */
  readonly uploads: readonly string[];
  /** `@PATH`, or `@-` for stdin: what the fields are put into. */
  readonly jsonSource: string | undefined;
}

/** The whole input first, then each field over it, then the files. */
export async function buildInput(
  { client, output }: CommandContext,
  model: string,
  { fields, uploads, jsonSource }: InputOptions,
  before: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const parsed = fields.map(parseField);
  const files = uploads.map(parseUpload);
  const schema = await client.models.schema(model);
  let input = jsonSource === undefined ? before : { ...before, ...(await readJsonSource(jsonSource)) };
  for (const field of parsed) input = setField(input, schema, field);
  for (const { field, path } of files) {
    const { id } = await uploadFile(client, path);
    output.note(`Uploaded ${path}: ${id}`);
    input = setField(input, schema, parseField(`${field}=${id}`));
  }
  return input;
}

function parseUpload(argument: string): { readonly field: string; readonly path: string } {
  const match = /^([^=]+)=@(.+)$/s.exec(argument);
  if (!match) throw new CommandError(`-f ${argument} is no file: write -f NAME=@PATH`);
  return { field: match[1]!, path: match[2]! };
}

/** One file by its path. */
export async function uploadFile(client: Client, path: string) {
  const content = await openAsBlob(path).catch(failure => {
    throw new CommandError(`${path} cannot be read: ${failure.message}`);
  });
  return client.files.create(content, { filename: basename(path) });
}

async function readJsonSource(source: string): Promise<Readonly<Record<string, unknown>>> {
  const path = source.replace(/^@/, '');
  const content = path === '-' ? await text(process.stdin) : await readText(path);
  const input = parseJsonOrNull(content);
  if (isRecord(input)) return input;
  throw new CommandError(`${path === '-' ? 'stdin' : path} must hold a JSON object`);
}

const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(failure => {
    throw new CommandError(`${path} cannot be read: ${failure.message}`);
  });

function parseJsonOrNull(content: string): unknown {
  try {
    return fromJson(content);
  } catch {
    return null;
  }
}
