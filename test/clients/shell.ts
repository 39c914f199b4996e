/** A shell with curl, the real one or its stand-in. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Runs lines as a person pastes them; resolves to what they print. */
export type Shell = (lines: string) => Promise<string>;

/** A shell in that folder, with the machine's curl; where it has none, with our stand-in, which knows the arguments of the banner. */
export async function openShell(folder: string): Promise<Shell> {
  let path = process.env.PATH ?? '';
  if (spawnSync('curl', ['--version']).error) {
    const ours = fileURLToPath(new URL('./curl-stand-in.ts', import.meta.url));
    await writeFile(join(folder, 'curl'), `#!/bin/sh\nexec '${process.execPath}' '${ours}' "$@"\n`);
    await chmod(join(folder, 'curl'), 0o755);
    path = `${folder}:${path}`;
  }
  return async lines => {
    const shell = spawn('sh', ['-c', lines], {
      cwd: folder,
      env: { PATH: path },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [printed, complaint, [code]] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, 'close'),
    ]);
    if (code !== 0) throw new Error(`expected the shell to end with 0, got ${code}: ${complaint}`);
    return printed;
  };
}
