/** Tables as CSV, for spreadsheets. */

/** Lines by RFC 4180, the last one ended, too. */
export const csvOf = (rows: readonly (readonly (string | number)[])[]): string =>
  rows.map(row => `${row.map(cellOf).join(',')}\r\n`).join('');

/** Quoted where it must be. A text that begins like a formula gets an apostrophe, so that no spreadsheet executes it. */
function cellOf(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
