/** What the session that is logged in may do. */
import { useQuery } from '@tanstack/react-query';
import type { Role } from '../api/answers.ts';
import { sessionQuery } from '../api/queries.ts';

/** Each role includes the ones before it. */
const order: readonly Role[] = ['viewer', 'developer', 'admin'];

/** Whether the role of the session is at least this one. It hides buttons only: the gateway checks every request. */
export function useMay(least: Role): boolean {
  const { data } = useQuery(sessionQuery);
  return data ? order.indexOf(data.role) >= order.indexOf(least) : false;
}
