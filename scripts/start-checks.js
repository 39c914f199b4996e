// Plain JavaScript for any Node: what would end a start anyway is found before anything is installed or built.
import { accessSync, constants, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { oldestNode, root } from './setup.js';

/** The oldest Node that can install a newer one. */
const oldestInstaller = [18, 17];

/** Why the gateway could not start with that environment, and what to do; null where nothing speaks against it. */
export async function whyNotToStart(env) {
  return (
    whyNodeIsTooOld(process.versions.node) ?? (await whyPortIsNotFree(env)) ?? whyFolderIsNotWritable(env)
  );
}

/** Null for an older Node, too, where it can install a newer one. */
export function whyNodeIsTooOld(version) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestInstaller;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  return `Atelier needs Node ${oldestNode} or newer. This is Node ${version}, which is too old even to install a newer one: install Node ${oldestNode}.`;
}

/** What is no port is left to the settings, which name every fault at once. */
function whyPortIsNotFree({ ATELIER_HOST: host = '127.0.0.1', ATELIER_PORT: text = '8080' }) {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65535) return null;
  return new Promise(done => {
    const server = createServer();
    server.once('error', ({ code }) =>
      done(
        code === 'EADDRINUSE'
          ? `Port ${port} on ${host} is in use. Set ATELIER_PORT to another one (0 = any free one).`
          : null,
      ),
    );
    server.listen({ host, port }, () => server.close(() => done(null)));
  });
}

function whyFolderIsNotWritable({ ATELIER_DATA_DIR: path = './data' }) {
  const folder = resolve(root, path);
  try {
    // As the gateway makes it: nobody but this account reads what will be in it.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch ({ code }) {
    return `The data folder ${folder} cannot be written (${code}). Make it writable for this account, or set ATELIER_DATA_DIR to another folder.`;
  }
}
