/** Builds the input of a job from fields, files and JSON of the command line. */
import { openAsBlob } from 'node:fs';
import { access, constants, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from '../../../client/src/index.ts';
import { CommandError } from '../command-error.ts';
import type { CommandContext } from './command-context.ts';
import { isRecord, parseField, parseJsonOrNull, setField } from './input-fields.ts';

/** The parts of an input as arguments of the command line. */
export interface InputOptions {
  /** `NAME=VALUE`, as arguments and by -i. */
  readonly fields: readonly string[];
  /** `NAME=@PATH`: the file is uploaded and the field gets its id. */
  readonly uploads: readonly string[];
  /** `@PATH`, or `@-` for stdin: a JSON object that the fields are set in. */
  readonly jsonSource: string | undefined;
}

/** `before`, then the JSON object, then each field, then the ids of the uploaded files; later ones win. */
export async function buildInput(
  { client, output }: CommandContext,
  model: string,
  { fields, uploads, jsonSource }: InputOptions,
  before: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const parsed = fields.map(parseField);
  const files = uploads.map(parseUpload);
  // The schema decides the type of each field.
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

/** Splits `NAME=@PATH`. */
function parseUpload(argument: string): { readonly field: string; readonly path: string } {
  const match = /^([^=]+)=@(.+)$/s.exec(argument);
  if (!match) throw new CommandError(`-f ${argument} is not a file argument: write -f NAME=@PATH`);
  return { field: match[1]!, path: match[2]! };
}

/** Uploads one file under its base name. */
export async function uploadFile(client: Client, path: string) {
  return client.files.create(await openFile(path), { filename: basename(path) });
}

/** Looked at first: `openAsBlob` has no reason for what it cannot open. */
async function openFile(path: string): Promise<Blob> {
  try {
    await access(path, constants.R_OK);
    return await openAsBlob(path);
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure);
    throw new CommandError(`${path} cannot be read: ${why}`);
  }
}

/** A path or `-`, with or without `@`. */
async function readJsonSource(source: string): Promise<Readonly<Record<string, unknown>>> {
  const path = source.replace(/^@/, '');
  const content = path === '-' ? await text(process.stdin) : await readText(path);
  const input = parseJsonOrNull(content);
  if (isRecord(input)) return input;
  throw new CommandError(`${path === '-' ? 'stdin' : path} must contain a JSON object`);
}

const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(failure => {
    throw new CommandError(`${path} cannot be read: ${failure.message}`);
  });
