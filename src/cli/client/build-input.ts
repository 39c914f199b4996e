import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from '../../../client/src/index.ts';
import { fromJson } from '../../domain/json.ts';
import { CommandFault } from '../command-fault.ts';
import { isRecord, parseField, withField } from './input-fields.ts';
import type { Asking } from './open-client.ts';

/** Where an input comes from, on a command line. */
export interface InputOptions {
  /** `NAME=VALUE`, as arguments and by -i. */
  readonly fields: readonly string[];
  /** `NAME=@PATH`: uploaded, and named by its id. */
  readonly uploads: readonly string[];
  /** `@PATH`, or `@-` for stdin: what the fields are put into. */
  readonly whole: string | undefined;
}

/** The whole input first, then each field over it, then the files. */
export async function buildInput(
  { client, talk }: Asking,
  model: string,
  { fields, uploads, whole }: InputOptions,
  before: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const parsed = fields.map(parseField);
  const files = uploads.map(parseUpload);
  const schema = await client.models.schema(model);
  let input = whole === undefined ? before : { ...before, ...(await readWhole(whole)) };
  for (const field of parsed) input = withField(input, schema, field);
  for (const { field, path } of files) {
    const { id } = await uploadFile(client, path);
    talk.say(`Uploaded ${path}: ${id}`);
    input = withField(input, schema, parseField(`${field}=${id}`));
  }
  return input;
}

function parseUpload(argument: string): { readonly field: string; readonly path: string } {
  const match = /^([^=]+)=@(.+)$/s.exec(argument);
  if (!match) throw new CommandFault(`-f ${argument} is no file: write -f NAME=@PATH`);
  return { field: match[1]!, path: match[2]! };
}

/** One file by its path. */
export async function uploadFile(client: Client, path: string) {
  const content = await openAsBlob(path).catch(failure => {
    throw new CommandFault(`${path} cannot be read: ${failure.message}`);
  });
  return client.files.create(content, { filename: basename(path) });
}

async function readWhole(source: string): Promise<Readonly<Record<string, unknown>>> {
  const path = source.replace(/^@/, '');
  const content = path === '-' ? await text(process.stdin) : await readText(path);
  const input = parse(content);
  if (isRecord(input)) return input;
  throw new CommandFault(`${path === '-' ? 'stdin' : path} must hold a JSON object`);
}

const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(failure => {
    throw new CommandFault(`${path} cannot be read: ${failure.message}`);
  });

function parse(content: string): unknown {
  try {
    return fromJson(content);
  } catch {
    return null;
  }
}
