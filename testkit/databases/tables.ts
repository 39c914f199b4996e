/** Reads every table of a database whole, to compare or search them. */
import type { Connection, Row } from '../../src/store/db/connection.ts';

/** Every table, whole, in an order that does not change. */
export async function readTables(db: Connection): Promise<Readonly<Record<string, readonly Row[]>>> {
  const names =
    db.dialect === 'sqlite'
      ? await db.read(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
      : await db.read(
          `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`,
        );
  const tables: Record<string, readonly Row[]> = {};
  for (const { name } of names) {
    const rows = await db.read(`SELECT * FROM ${name}`);
    tables[String(name)] = rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return tables;
}
