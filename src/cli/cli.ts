import { Command } from 'commander';
import { ConfigFault } from '../config.ts';
import { StartRefused } from '../main.ts';
import { checkConfig } from './check-config.ts';
import { CommandFault } from './command-fault.ts';
import { doctor } from './doctor.ts';
import { createKeyCommand, listKeysCommand, revokeKeyCommand } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { serve } from './serve.ts';

/** The command line: `atelier <command>`. */
export async function run(argv: readonly string[]): Promise<void> {
  const program = new Command('atelier')
    .description('A gateway in front of generative models.')
    .showHelpAfterError();

  program
    .command('serve')
    .description('runs the gateway')
    .option('--role <role>', 'api, worker or all (instead of ATELIER_ROLE)')
    .action(serve);
  program.command('migrate').description('brings the database up to date').action(migrateCommand);

  const keys = program.command('keys').description('API keys');
  keys
    .command('create')
    .description('makes a key and prints it once')
    .requiredOption('--user <name>', 'whose key it is; a new name makes a new user')
    .option('--name <text>', 'what the key is for')
    .option('--models <ids>', 'comma-separated model ids it may use (default: all)')
    .option('--expires <time>', 'such as 90d or 12h (default: never)')
    .option('--json', 'one line of JSON')
    .action(createKeyCommand);
  keys
    .command('list')
    .description('every key, without its secret')
    .option('--json', 'one line of JSON')
    .action(listKeysCommand);
  keys.command('revoke').description('ends a key').argument('<id>', 'the key_… id').action(revokeKeyCommand);

  program
    .command('config')
    .description('settings')
    .command('check')
    .description('says what is wrong with the settings')
    .action(checkConfig);
  program.command('doctor').description('looks at everything a start needs').action(doctor);

  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (failure) {
    process.stderr.write(`${explain(failure)}\n`);
    process.exitCode = 1;
  }
}

function explain(failure: unknown): string {
  if (failure instanceof ConfigFault)
    return `The settings are wrong:\n${failure.message.replace(/^/gm, '  ')}`;
  if (failure instanceof CommandFault || failure instanceof StartRefused) return failure.message;
  return failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
}
