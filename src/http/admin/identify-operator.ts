import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { bearerOf } from '../../admission/authenticate.ts';
import { refuse } from '../../domain/refusal.ts';
import type { HttpParts } from '../parts.ts';

/** The one gate of the admin API: Bearer is the admin token of this installation. */
export function identifyOperator(
  { adminToken }: Pick<HttpParts, 'adminToken'>,
  request: FastifyRequest,
): void {
  const token = bearerOf(request.raw.headers.authorization);
  if (token === null || !isSame(token, adminToken)) throw refuse('operator_token_invalid');
}

/** In a time that says nothing of where they differ, nor of how long they are. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(hashOf(one), hashOf(other));

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();
