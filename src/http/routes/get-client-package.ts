/** The typed client as a package: `npm install <gateway>/client.tgz`. */

import { packageAnswers, sendPackage } from '../packages/send-package.ts';
import type { OpenRoute } from '../route.ts';

/** The package in the version of the gateway; needs no key. */
export const getClientPackage: OpenRoute = {
  method: 'GET',
  path: '/client.tgz',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: [],
  answers: packageAnswers,
  docs: { undocumented: 'a package for npm' },
  open: context => async (request, reply) => sendPackage(request, reply, await context.packages.client()),
};
