/** Compares a body with what its route declares; for tests. */

import { isDeepStrictEqual } from 'node:util';
import type { Route } from './route.ts';

/**
 * Throws where the status is not declared, where the body does not fit its schema, and where it has members that the
 * schema does not name. A body that is sent as a stream or as bytes is not read.
 */
export function verifyBody({ answers, method, path }: Route, status: number, body: unknown): void {
  const where = `${method} ${path} with status ${status}`;
  const answer = answers[status];
  if (!answer) throw new Error(`expected ${where} to be declared`);
  if (answer.body === null) return;
  const sent: unknown = JSON.parse(typeof body === 'string' ? body : JSON.stringify(body));
  const parsed = answer.body.safeParse(sent);
  if (!parsed.success) throw new Error(`the body of ${where}: ${parsed.error.message}`);
  if (!isDeepStrictEqual(parsed.data, sent))
    throw new Error(`the body of ${where} has members that are not declared: ${JSON.stringify(sent)}`);
}
