/** Reading the small JSON bodies of the admin API. */

import type { FastifyRequest } from 'fastify';
import { isJsonContentType, readJsonObject } from '../../body/read-body.ts';
import { refuse } from '../../domain/refusal.ts';

/**
 * Names, limits and a reason: no body of an operator is longer, except those that have routes of their own.
 */
const maxBodyBytes = 4 * 1024;

/** The members of an operator's JSON body; any but the named ones are refused. `maxBytes` is 4 KiB unless given. */
export async function readAdminBody<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
  maxBytes = maxBodyBytes,
): Promise<Readonly<Partial<Record<Name, unknown>>>> {
  if (!isJsonContentType(request.raw.headers['content-type'])) throw refuse('content_type_unsupported');
  const tooLarge = () => refuse('body_too_large');
  const body = await readJsonObject(request.raw, { maxBytes, tooLarge, reservation: null });
  const unknown = Object.keys(body).find(name => !names.some(known => known === name));
  if (unknown !== undefined) refuseField(unknown, 'unknown field');
  return body as Readonly<Partial<Record<Name, unknown>>>;
}

/** Throws a 422 that names one field, or one parameter of the query. */
export function refuseField(name: string, reason: string): never {
  throw refuse('input_invalid', { subject: `${name}: ${reason}`, fields: [name] });
}
