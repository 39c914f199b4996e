// Plain JavaScript for any Node: builds the provider of the AI SDK when its sources are newer than what was built of them.
import { root } from './setup.js';
import { buildWorkspace } from './workspace-build.js';

/** After the client, whose types it needs. */
export const buildAiSdk = () =>
  buildWorkspace({
    name: 'atelier-ai-sdk',
    folder: 'ai-sdk',
    beside: ['client'],
    sources: ['package.json', 'tsconfig.json', 'src'],
    commandOf: from => [
      `${from}node_modules/typescript/bin/tsc`,
      '-p',
      '.',
      '--outDir',
      `${root}ai-sdk/dist`,
    ],
    isEmptiedFirst: true,
    otherwise: 'Everything else works; /ai-sdk.tgz says what to do.',
  });
