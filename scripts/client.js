// Plain JavaScript for any Node: builds the client when its sources are newer than what was built of them.
import { root } from './setup.js';
import { buildWorkspace } from './workspace-build.js';

export const buildClient = () =>
  buildWorkspace({
    name: 'atelier-client',
    folder: 'client',
    sources: ['package.json', 'tsconfig.json', 'src'],
    commandOf: from => [
      `${from}node_modules/typescript/bin/tsc`,
      '-p',
      '.',
      '--outDir',
      `${root}client/dist`,
    ],
    isEmptiedFirst: true,
    otherwise: 'Everything else works; /client.tgz says what to do.',
  });
