/** Reads the JSON body of a request of another protocol, within its size and the memory of its key. */

import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '../../../body/json-body.ts';
import { readJsonObject } from '../../../body/read-body.ts';
import type { Principal } from '../../../domain/key.ts';
import { refuse } from '../../../domain/refusal.ts';
import type { HttpContext } from '../../http-context.ts';

/** What is read, from whom, and the most bytes of it. */
export interface MountedBody {
  readonly principal: Principal;
  readonly request: FastifyRequest;
  readonly maxBytes: number;
}

/** The memory stays reserved until `use` ends, because the input stays in memory as long. */
export const withJsonBody = <T>(
  { memoryBudget }: Pick<HttpContext, 'memoryBudget'>,
  { principal, request, maxBytes }: MountedBody,
  use: (body: JsonObject) => Promise<T>,
): Promise<T> =>
  memoryBudget.withReservation(principal.keyId, async reservation => {
    const tooLarge = () => refuse('body_too_large');
    return use(await readJsonObject(request.raw, { maxBytes, tooLarge, reservation }));
  });
