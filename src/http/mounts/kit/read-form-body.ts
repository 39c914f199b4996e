/** Reads the body of a request of another protocol: JSON, or a form whose files are pictures. */

import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { wholeOf } from '../../../body/chunks.ts';
import type { JsonObject } from '../../../body/json-body.ts';
import type { BodyReservation } from '../../../body/memory-budget.ts';
import { isJsonContentType, readJsonObject } from '../../../body/read-body.ts';
import { valueAt } from '../../../catalog/field-meaning.ts';
import type { Principal } from '../../../domain/key.ts';
import { type RefusalName, refuse } from '../../../domain/refusal.ts';
import { sniff } from '../../../media/sniff.ts';
import type { HttpContext } from '../../http-context.ts';
import { readMultipartFiles } from '../../read-multipart.ts';
import { GivenPicture } from './generic-input.ts';

/** Contract 8: the most of a JSON body; a form is bounded by its reader. */
const maxJsonBytes = 64 * 1024 * 1024;
/** Of a form whose length is not stated. */
const maxFormBytes = 48 * 1024 * 1024;
/** No model takes more pictures. */
const maxFiles = 16;

/** What reading a body can refuse, beside what any creation can. */
export const formBodyRefusals = [
  'file_request_invalid',
  'file_too_large',
] as const satisfies readonly RefusalName[];

/** Reads the body and does its work while the memory of the body is reserved. */
export const withFormBody = <Result>(
  { memoryBudget }: Pick<HttpContext, 'memoryBudget'>,
  principal: Principal,
  { raw }: FastifyRequest,
  work: (body: JsonObject) => Promise<Result>,
): Promise<Result> =>
  memoryBudget.withReservation(principal.keyId, async reservation =>
    work(await readFormBody(raw, reservation)),
  );

function readFormBody(message: IncomingMessage, reservation: BodyReservation): Promise<JsonObject> {
  const contentType = message.headers['content-type'];
  if (!isJsonContentType(contentType) && /^multipart\/form-data\s*;/i.test(contentType?.trim() ?? ''))
    return readForm(message, reservation);
  const tooLarge = () => refuse('body_too_large');
  return readJsonObject(message, { maxBytes: maxJsonBytes, tooLarge, reservation });
}

/** Its files are read whole, because an input has them as base64. */
async function readForm(message: IncomingMessage, reservation: BodyReservation): Promise<JsonObject> {
  const { files, fields } = await readMultipartFiles(
    message,
    {
      reserve: () => reservation.reserve(Number(message.headers['content-length'] ?? maxFormBytes)),
      take: async ({ name, content, declaredMimeType }) => {
        const bytes = await wholeOf(content);
        return [name, new GivenPicture(bytes, sniff(bytes)?.mimeType ?? declaredMimeType ?? '')] as const;
      },
      drop: async () => {},
    },
    maxFiles,
  );
  return [...fields, ...files].reduce<JsonObject>(withField, {});
}

/** More brackets are part of the name, which then is no field. */
const bracketed = /^([^[\]]+)((?:\[[^[\]]*\]){1,8})$/;

/**
 * Names with brackets are members and items, as the packages write them: `image[]`, `settings[duration]`,
 * `content[][type]`. A name that is repeated becomes a list.
 */
function withField(body: JsonObject, [name, value]: readonly [string, unknown]): JsonObject {
  const [, outer = name, brackets = ''] = bracketed.exec(name) ?? [];
  const path = [...brackets.matchAll(/\[([^[\]]*)\]/g)].map(([, key = '']) => key);
  const before = Object.hasOwn(body, outer) ? body[outer] : undefined;
  return { ...body, [outer]: placed(before, path, value) };
}

/** What stands at a place of the body, with one more value. An empty key is an item of a list. */
function placed(before: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return before === undefined ? value : [...[before].flat(), value];
  if (key !== '') return { ...Object(before), [key]: placed(valueAt(before, key), rest, value) };
  const items = before === undefined ? [] : [before].flat();
  const last = items.at(-1);
  // Members of an item follow each other: one that it has already begins the next item.
  const isNext = rest.length === 0 || last === undefined || valueAt(last, rest.join('.')) !== undefined;
  return isNext
    ? [...items, placed(undefined, rest, value)]
    : [...items.slice(0, -1), placed(last, rest, value)];
}
