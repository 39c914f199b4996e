/** Every mount: the routes of another protocol. A new one is added here; design and rules are in docs/mounts.md. */

import type { MountName } from '../../domain/mounts.ts';
import type { Route } from '../route.ts';
import { falRoutes } from './fal/routes.ts';
import { openaiRoutes } from './openai/routes.ts';
import { replicateRoutes } from './replicate/routes.ts';

/** A mount that is switched off has no route. */
export const mountRoutes: Readonly<Record<MountName, readonly Route[]>> = {
  openai: openaiRoutes,
  fal: falRoutes,
  replicate: replicateRoutes,
};
