/** Which names of users are allowed. */

/** The user of everything that is run and uploaded in the console. */
export const consoleUserName = 'console';

/** The user whose webhook secret signs alerts of budgets; the migrations make it. */
export const alertsUserName = 'budget-alerts';

/** Users that Atelier creates itself: for jobs of the console, commands on the gateway's machine, and alerts. */
const reservedUserNames: readonly string[] = [consoleUserName, 'cli', alertsUserName];

/** Why a key cannot be created for a user of that name, as the end of a sentence; null for an allowed name. */
export function userNameError(name: string): string | null {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._@ -]{0,99}$/u.test(name))
    return 'must be 1 to 100 letters, digits, or . _ @ - and begin with a letter or digit';
  if (reservedUserNames.includes(name.normalize('NFKC').trim().toLowerCase()))
    return `${name.trim()} is a user of Atelier's own; choose another name`;
  return null;
}
