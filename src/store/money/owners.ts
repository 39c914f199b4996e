/** Owners of money accounts: projects, keys and tags, their ids, names and order. */
import { fromJson } from '../../domain/json.ts';
import type { AccountKind } from '../../domain/money-entry.ts';
import { idOfTag, textOfTagId } from '../../domain/tags.ts';
import type { Row } from '../db/connection.ts';
import { text } from '../db/rows.ts';

/** What has a budget. */
export interface AccountOwner {
  readonly kind: AccountKind;
  /** Id of the project, key or tag. */
  readonly id: string;
}

/** The owners of the tags of a job, which are JSON text; in the order in which their accounts are locked. */
export function tagOwners(tags: string | null): readonly AccountOwner[] {
  if (tags === null) return [];
  // Written by admission, from text to text.
  const written = Object.entries(fromJson(tags) as Readonly<Record<string, string>>);
  const ids = written.map(([name, value]) => idOfTag({ name, value }));
  return ids.toSorted(byBytes).map(id => ({ kind: 'tag', id }));
}

/** As `ORDER BY id COLLATE "C"`. */
export const byBytes = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** For rows with the columns `kind` and `name`: a tag is shown as people write it. */
export const nameFromRow = (row: Row): string =>
  row.kind === 'tag' ? textOfTagId(text(row, 'name')) : text(row, 'name');
