/** Statements over many ids: in batches, since a statement has a limited number of parameters. */

const idsPerStatement = 500;

/** `places` gives the placeholders of the ids, numbered from its argument on. */
export async function inBatches(
  ids: readonly string[],
  work: (ids: readonly string[], places: (from: number) => string) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < ids.length; from += idsPerStatement) {
    const some = ids.slice(from, from + idsPerStatement);
    await work(some, first => some.map((_, index) => `$${first + index}`).join(', '));
  }
}
