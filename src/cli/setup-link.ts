import { randomBytes } from 'node:crypto';
import { hours, systemClock } from '../domain/clock.ts';
import type { Connection } from '../store/db/connection.ts';
import { replaceSetupCode } from '../store/people/setup.ts';
import { localUrl } from './client/make-local-key.ts';
import { CommandError } from './command-error.ts';
import { isoTime, print } from './print.ts';
import { withStore } from './with-store.ts';

const setupCodeLifetimeMs = 24 * hours;

/** A new code of the setup, in place of the one before; null when the setup is over. */
export async function makeSetupCode(db: Connection, now: number): Promise<string | null> {
  const code = randomBytes(18).toString('base64url');
  return (await replaceSetupCode(db, { code, endsAt: now + setupCodeLifetimeMs }, now)) ? code : null;
}

export const setupUrl = (url: string, code: string): string => `${url}/console/setup#${code}`;

export async function setupLinkCommand(): Promise<void> {
  const now = systemClock.now();
  await withStore(async (db, config) => {
    const code = await makeSetupCode(db, now);
    if (code === null)
      throw new CommandError(
        'Setup is over: somebody has an account already, or logged in with the admin token. An admin adds people under Settings in the console.',
      );
    const until = isoTime(now + setupCodeLifetimeMs);
    print(
      `${setupUrl(localUrl(config), code)}\n\nIt makes the first account, once, until ${until}. Addresses printed before are void.`,
    );
  });
}
