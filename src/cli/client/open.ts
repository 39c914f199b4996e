/** `atelier open`: opens the console of the gateway in use in a browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { CommandError } from '../command-error.ts';
import { withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, findGatewayUrl } from './command-context.ts';
import { openOutput } from './command-output.ts';

/** Adds `open`, which needs no key: the console asks for a login. */
export function registerOpen(program: Command): void {
  withClientOptions(program.command('open'))
    .description('open the console in a browser; prints its address where there is none')
    .action(openCommand);
}

/** A gateway on this machine, or behind a proxy, answers faster than this. */
const responseTimeoutMs = 10_000;

/** The address is printed in any case, so that it can be copied. */
async function openCommand(options: ClientCommandOptions): Promise<void> {
  const output = openOutput(options);
  const url = `${await findGatewayUrl(options)}/console/`;
  await requireConsole(url);
  output.printResult({ url }, () => [url]);
  if (!(await startBrowser(url))) output.note('No browser was opened here: open this address in one.');
}

/** A browser would show its own page for a gateway that does not run. */
async function requireConsole(url: string): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(responseTimeoutMs) }).catch(() => null);
  await answer?.body?.cancel();
  if (answer === null) throw new CommandError(`No gateway answers at ${url}. Start it with: npm start`);
  if (!answer.ok) throw new CommandError(`${url} answered ${answer.status}: npm start builds the console.`);
}

/** False where no program opens addresses: a server without a screen, a container, CI. */
async function startBrowser(url: string): Promise<boolean> {
  const program = browserProgram();
  if (program === null) return false;
  const [command, ...args] = program;
  const child = spawn(command!, [...args, url], { stdio: 'ignore', detached: true });
  const isStarted = await Promise.race([
    once(child, 'spawn').then(() => true),
    once(child, 'error').then(() => false),
  ]);
  // The browser outlives this command.
  child.unref();
  return isStarted;
}

/** BROWSER names a program, as for other commands; null where nothing can show a page. */
function browserProgram(): readonly string[] | null {
  const { BROWSER, CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (BROWSER) return [BROWSER];
  if (CI) return null;
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['cmd', '/c', 'start', ''];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : null;
}
