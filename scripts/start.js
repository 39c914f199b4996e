// npm start: sets everything up, then serves.
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
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
const words = ['serve', ...process.argv.slice(2).filter(word => word !== '--watch')];
const isWatching = process.argv.includes('--watch');
if (!isWatching && realpathSync(node()) === process.execPath) await serveHere();
else serveInChild();

/** Another process would cost a tenth of a second, and 40 MB for as long as the gateway runs. */
async function serveHere() {
  process.chdir(root);
  process.argv = [process.argv[0], `${root}bin/atelier.js`, ...words];
  await import('../bin/atelier.js');
}

/** Where it is another Node that serves, or one that starts it again. Signals go to it, and its exit code is ours. */
function serveInChild() {
  const watch = isWatching ? ['--watch-path=src'] : [];
  const server = spawn(node(), [...watch, 'bin/atelier.js', ...words], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
  server.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
