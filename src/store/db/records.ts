/** Many records in one statement: a JSON array as a table. */
import type { Connection } from './connection.ts';

/** Types of the columns of a record. */
export type ColumnTypes = Readonly<Record<string, 'TEXT' | 'BIGINT' | 'INTEGER'>>;

/** The records of the JSON array in the first value of a statement, with these columns, for its FROM. */
export function recordsOf(dialect: Connection['dialect'], columns: ColumnTypes): string {
  const names = Object.entries(columns);
  if (dialect === 'sqlite')
    return `(SELECT ${names.map(([name]) => `value ->> '${name}' AS ${name}`).join(', ')} FROM json_each($1))`;
  return `(SELECT * FROM json_to_recordset(CAST($1 AS JSON)) AS one(${names.map(pair => pair.join(' ')).join(', ')}))`;
}
