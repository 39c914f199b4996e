/** One line on stdout. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

export const isoTime = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();
