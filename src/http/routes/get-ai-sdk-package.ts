/** The provider of the AI SDK as a package: `npm install <gateway>/ai-sdk.tgz`. */

import { sendPackage } from '../packages/send-package.ts';
import type { OpenRoute } from '../route.ts';
import { getClientPackage } from './get-client-package.ts';

/** The package in the version of the gateway, with the client in it; needs no key. */
export const getAiSdkPackage: OpenRoute = {
  ...getClientPackage,
  path: '/ai-sdk.tgz',
  open: context => async (request, reply) => sendPackage(request, reply, await context.packages.aiSdk()),
};
