import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/queries.ts';
import type { Role } from '../api/shapes.ts';

const order: readonly Role[] = ['viewer', 'developer', 'admin'];

/** Whether whoever is logged in may do what needs that role; the gateway judges again. */
export function useMay(least: Role): boolean {
  const { data } = useQuery(sessionQuery);
  return data ? order.indexOf(data.role) >= order.indexOf(least) : false;
}
