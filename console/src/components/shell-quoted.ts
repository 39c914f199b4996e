/** Quotes a text for a POSIX shell: within single quotes only the quote itself is special. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
