/** Returns the error that a call of a client threw. */
import assert from 'node:assert/strict';

/** What a client threw, of the class that it promises. */
export async function thrown<Kind extends Error>(
  call: PromiseLike<unknown>,
  kind: abstract new (...values: never[]) => Kind,
): Promise<Kind> {
  const failure = await Promise.resolve(call).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(failure instanceof kind, `expected ${kind.name}, got ${String(failure)}`);
  return failure;
}
