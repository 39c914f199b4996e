/** Typed reads of columns. Rows are our own: a mismatch is a bug and throws. */
import type { Row, Value } from './connection.ts';

/** A column that must be text. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new Error(`expected text in column ${column}, got ${typeof value}`);
  return value;
}

/** A column that must be a number. */
export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number')
    throw new Error(`expected a number in column ${column}, got ${typeof value}`);
  return value;
}

/** A nullable column of text. */
export const textOrNull = (row: Row, column: string): string | null =>
  row[column] === null ? null : text(row, column);

/** A nullable column of numbers. */
export const integerOrNull = (row: Row, column: string): number | null =>
  row[column] === null ? null : integer(row, column);

/** A column with a fixed set of values. */
export function oneOf<const T extends Value>(row: Row, column: string, words: readonly T[]): T {
  const found = words.find(word => word === row[column]);
  if (found === undefined)
    throw new Error(`expected one of ${words.join(', ')} in column ${column}, got ${row[column]}`);
  return found;
}
