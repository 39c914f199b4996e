/** Entry of the command line: picks the commands to load, runs one and sets the exit code. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { GatewayError } from '../../client/src/index.ts';
import { StartError } from '../app/start-error.ts';
import { ConfigError } from '../config/error.ts';
import { SettingsNotWritten } from '../config/settings-candidate.ts';
import { StoreUnavailable } from '../store/db/connection.ts';
import { rewriteArguments } from './client/client-options.ts';
import { registerClientCommands } from './client/register.ts';
import { CommandError } from './command-error.ts';
import { exitCodeOf, explainGatewayError } from './exit-code.ts';
import { addExamples, arrangeHelp } from './help.ts';

/** Runs `atelier <command>`. Never rejects: a failure is printed to stderr and sets `process.exitCode`. */
export async function run(argv: readonly string[]): Promise<void> {
  try {
    const program = await openProgram(argv[0]);
    await program.parseAsync([...rewriteArguments(argv)], { from: 'user' });
  } catch (failure) {
    process.stderr.write(`${explainFailure(failure)}\n`);
    process.exitCode = exitCodeOf(failure);
  }
}

/** Client commands start fast because they load nothing of the gateway; any other command loads all of it. */
async function openProgram(name: string | undefined): Promise<Command> {
  const clientOnly = newProgram();
  registerClientCommands(clientOnly);
  addExamples(clientOnly);
  if (clientOnly.commands.some(command => command.name() === name)) return clientOnly;
  const { registerOperatorCommands } = await import('./operator-commands.ts');
  const { registerCompletion } = await import('./client/completion.ts');
  const whole = newProgram();
  registerOperatorCommands(whole);
  registerClientCommands(whole);
  registerCompletion(whole);
  arrangeHelp(whole);
  addExamples(whole);
  return whole;
}

/** An empty program; commander prints its help after a usage error. */
const newProgram = (): Command =>
  new Command('atelier')
    .description('A gateway in front of generative models: one durable queue for video, image and speech.')
    .version(readVersion(), '-V, --version', 'print the version')
    .showHelpAfterError();

/** The version in package.json, which the npm package and the image contain. */
function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String(version);
}

/** A sentence for known errors; a stack for a bug. */
function explainFailure(failure: unknown): string {
  if (failure instanceof ConfigError) return `Invalid settings:\n${failure.message.replace(/^/gm, '  ')}`;
  if (
    failure instanceof CommandError ||
    failure instanceof StartError ||
    failure instanceof SettingsNotWritten
  )
    return failure.message;
  if (failure instanceof GatewayError) return explainGatewayError(failure);
  if (failure instanceof StoreUnavailable) return `Database unavailable. ${failure.message}`;
  return failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
}
