/** Output of operator commands. */

/** Writes one line to stdout. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Epoch milliseconds as ISO 8601 in UTC. */
export const isoTime = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();
