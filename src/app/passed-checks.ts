/** Remembers from one start to the next that the local engine passed its check, so that a start is ready sooner. */
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { localAccount } from '../domain/provider.ts';
import type { PassedChecks } from '../worker/context.ts';

/** npm writes it anew whenever it changes a package. */
const installedPackages = fileURLToPath(new URL('../../node_modules/.package-lock.json', import.meta.url));

/**
 * In a file of the data folder with what the check depends on: Node, the machine and the installed packages. Where one of
 * them is another, or npm installed none of the packages, nothing is remembered.
 */
export async function openPassedChecks(dataDir: string, log: Logger): Promise<PassedChecks> {
  const path = join(dataDir, 'engine-checked');
  const present = describeInstallation();
  const hasPassed = present !== null && (await readFile(path, 'utf8').catch(() => null)) === present;
  let recorded = hasPassed;
  return {
    has: account => account === localAccount && hasPassed,
    record(account, isOk) {
      if (account !== localAccount || present === null || isOk === recorded) return;
      try {
        if (isOk) writeFileSync(path, present, { mode: 0o600 });
        else rmSync(path, { force: true });
        recorded = isOk;
      } catch (failure) {
        // What could not be written costs the next start half a second.
        log.warn({ err: failure }, 'result of the engine check not recorded');
      }
    },
  };
}

function describeInstallation(): string | null {
  const found = statSync(installedPackages, { throwIfNoEntry: false });
  const { version, platform, arch } = process;
  return found ? [version, platform, arch, found.size, found.mtimeMs].join(' ') : null;
}
