/** Names of people by the ids that the audit log has. */
import { useQuery } from '@tanstack/react-query';
import { peopleQuery } from '../api/queries.ts';
import { useMay } from '../shell/session.ts';

/** How the ids of people begin. */
const personPrefix = 'person_';

/** Gives the name of a person; any other of those ids, and every id for who is no admin, as it is. */
export function usePersonNames(ids: readonly string[]): (id: string) => string {
  const isNeeded = ids.some(id => id.startsWith(personPrefix));
  const people = useQuery({ ...peopleQuery, enabled: useMay('admin') && isNeeded }).data?.data ?? [];
  return id => people.find(person => person.id === id)?.name ?? id;
}
