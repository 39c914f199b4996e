// Plain JavaScript for any Node: builds the console when its sources are newer than what was built of them.
import { root } from './setup.js';
import { buildWorkspace } from './workspace-build.js';

export const buildConsole = () =>
  buildWorkspace({
    name: 'atelier-console',
    folder: 'console',
    sources: ['index.html', 'package.json', 'vite.config.js', 'src', 'public'],
    commandOf: from => [
      `${from}node_modules/vite/bin/vite.js`,
      ...['build', '--logLevel=error', `--outDir=${root}console/dist`, '--emptyOutDir'],
    ],
    otherwise: 'Everything else works; /console says what to do.',
  });
