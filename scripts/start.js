// npm start: sets everything up, then serves. Signals go to the server, and its exit code is ours.
import { spawn } from 'node:child_process';
import { buildWorkspaces } from './build-workspaces.js';
import { installForRunning, node, root } from './setup.js';
import { whyNotToStart } from './start-checks.js';
import { aiSdk, client, consolePage } from './workspaces.js';

const reason = await whyNotToStart(process.env);
if (reason !== null) {
  console.error(reason);
  process.exit(1);
}
await buildWorkspaces([consolePage, client, aiSdk], installForRunning());
const watch = process.argv.includes('--watch') ? ['--watch-path=src'] : [];
const server = spawn(
  node(),
  [...watch, 'bin/atelier.js', 'serve', ...process.argv.slice(2).filter(word => word !== '--watch')],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
