/** `atelier setup-link`: a link that creates the first account of the console. */
import { randomBytes } from 'node:crypto';
import { hours, systemClock } from '../domain/clock.ts';
import type { Connection } from '../store/db/connection.ts';
import { replaceSetupCode } from '../store/people/setup.ts';
import { localUrl } from './client/make-local-key.ts';
import { CommandError } from './command-error.ts';
import { isoTime, print } from './print.ts';
import { withStore } from './with-store.ts';

/** After this a new link is needed. */
const setupCodeLifetimeMs = 24 * hours;

/** A new setup code that replaces the one before; null once an account exists. */
export async function makeSetupCode(db: Connection, now: number): Promise<string | null> {
  const code = randomBytes(18).toString('base64url');
  return (await replaceSetupCode(db, { code, endsAt: now + setupCodeLifetimeMs }, now)) ? code : null;
}

/** The code stands behind `#`, which browsers do not send to the server. */
export const setupUrl = (url: string, code: string): string => `${url}/console/setup#${code}`;

/** Prints the link; only the newest one works. */
export async function setupLinkCommand(): Promise<void> {
  const now = systemClock.now();
  await withStore(async (db, config) => {
    const code = await makeSetupCode(db, now);
    if (code === null)
      throw new CommandError(
        'Setup is complete: an account exists, or an admin logged in with the admin token. An admin adds people under Settings in the console.',
      );
    const until = isoTime(now + setupCodeLifetimeMs);
    print(
      `${setupUrl(localUrl(config), code)}\n\nIt creates the first account, once, until ${until}. Earlier links no longer work.`,
    );
  });
}
