import { useQuery } from '@tanstack/react-query';
import type { Role } from '../api/answers.ts';
import { sessionQuery } from '../api/queries.ts';

const order: readonly Role[] = ['viewer', 'developer', 'admin'];

/** Whether whoever is logged in may do what needs that role; the gateway judges again. */
export function useMay(least: Role): boolean {
  const { data } = useQuery(sessionQuery);
  return data ? order.indexOf(data.role) >= order.indexOf(least) : false;
}
