import type { Command } from 'commander';
import { listAuditCommand, verifyAuditCommand } from './audit.ts';
import { backup } from './backup.ts';
import {
  listCallbacksCommand,
  redeliverCommand,
  renewSecretsCommand,
  rotateSecretCommand,
} from './callbacks.ts';
import { checkConfig } from './check-config.ts';
import { registerListen } from './client/listen.ts';
import { registerReports } from './client/reports.ts';
import { doctor } from './doctor.ts';
import { createKeyCommand, listKeysCommand, revokeKeyCommand } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { printSchemaCommand } from './print-schema.ts';
import {
  listProvidersCommand,
  pauseProviderCommand,
  resumeProviderCommand,
  testProviderCommand,
} from './providers.ts';
import { serve } from './serve.ts';
import { setupLinkCommand } from './setup-link.ts';
import {
  listUncertainCommand,
  resendUncertainCommand,
  resolveChargedCommand,
  resolveNotChargedCommand,
} from './uncertain-submissions.ts';

/** Every command of whoever runs the gateway. They bring the whole of it along. */
export function registerOperatorCommands(program: Command): void {
  program
    .command('serve')
    .description('runs the gateway')
    .option('--role <role>', 'api, worker or all (instead of ATELIER_ROLE)')
    .option('--processes <count>', 'how many share the port, on PostgreSQL (instead of ATELIER_PROCESSES)')
    .option('--reconcile', 'the first start of a restored backup: finds out what was sent after it')
    .action(serve);
  program
    .command('backup')
    .description('copies database, files and secrets, while the gateway runs or not')
    .argument('<folder>', 'an empty one, or one to be made')
    .action(backup);
  program.command('migrate').description('brings the database up to date').action(migrateCommand);
  program
    .command('setup-link')
    .description('prints a new address that makes the first account of the console, for 24 hours')
    .action(setupLinkCommand);

  const keys = program.command('keys').description('API keys');
  keys
    .command('create')
    .description('makes a key and prints it once')
    .requiredOption('--user <name>', 'whose key it is; a new name makes a new user')
    .option('--name <text>', 'what the key is for')
    .option('--models <ids>', 'comma-separated model ids it may use (default: all)')
    .option('--scopes <scopes>', 'comma-separated: jobs:create, jobs:read, files, webhook-secret')
    .option('--expires <time>', 'such as 90d or 12h (default: never)')
    .option('--json', 'one line of JSON')
    .action(createKeyCommand);
  keys
    .command('list')
    .description('every key, without its secret')
    .option('--json', 'one line of JSON')
    .action(listKeysCommand);
  keys.command('revoke').description('ends a key').argument('<id>', 'the key_… id').action(revokeKeyCommand);

  const doubts = program
    .command('doubts')
    .description('jobs of which nobody knows whether they were charged');
  doubts
    .command('list', { isDefault: true })
    .description('every one that is not settled, with what is known')
    .option('--json', 'one line of JSON')
    .action(listUncertainCommand);
  doubts
    .command('adopt')
    .description('the upstream has it: a new job fetches what was paid for')
    .argument('<request_id>', 'the job in doubt')
    .argument('<upstream_id>', "the upstream's own id of it")
    .action(resolveChargedCommand);
  doubts
    .command('give-up')
    .description('nothing more is done')
    .argument('<request_id>', 'the job in doubt')
    .action(resolveNotChargedCommand);
  doubts
    .command('send-again')
    .description('a new job of the same input')
    .argument('<request_id>', 'the job in doubt')
    .option('--accept-a-second-charge', 'said out loud, because the first call may have been charged')
    .action(resendUncertainCommand);

  const callbacks = program.command('callbacks').description('notices to callback_url');
  callbacks
    .command('list')
    .description('the newest first')
    .option('--failed', 'those alone that were given up')
    .option('--json', 'one line of JSON')
    .action(listCallbacksCommand);
  callbacks
    .command('redeliver')
    .description('sends again, under the same id')
    .argument('[id]', 'the msg_… id')
    .option('--failed-since <time>', 'every final event that was given up since then')
    .action(redeliverCommand);
  callbacks
    .command('rotate-secret')
    .description('makes a new signing secret; the old one signs along for 24 hours')
    .requiredOption('--user <name>', 'whose callbacks')
    .action(rotateSecretCommand);
  callbacks
    .command('renew-secrets')
    .description('gives all users new signing secrets: for a master secret that is lost or was changed')
    .action(renewSecretsCommand);

  const audit = program
    .command('audit')
    .description('what was done to keys, jobs and callbacks, and by whom');
  audit
    .command('list')
    .description('the newest entries first')
    .option('--limit <count>', 'at most so many', '50')
    .option('--json', 'one line of JSON')
    .action(listAuditCommand);
  audit
    .command('verify')
    .description('looks for an entry that was changed or removed; ends with 1 when there is one')
    .action(verifyAuditCommand);

  const config = program.command('config').description('settings');
  config.command('check').description('says what is wrong with the settings').action(checkConfig);
  config.command('schema').description('JSON Schema of atelier.yaml, for editors').action(printSchemaCommand);
  const providers = program.command('providers').description('accounts at upstreams');
  providers
    .command('list')
    .description('every account with its provider, its slots and the models routed to it')
    .option('--json', 'one line of JSON')
    .action(listProvidersCommand);
  providers
    .command('test')
    .description('one free call with its key; ends with 1 unless the upstream takes it')
    .argument('<account>', 'as atelier.yaml names it')
    .action(testProviderCommand);
  providers
    .command('pause')
    .description('gives it nothing new; what is under way there goes on')
    .argument('<account>', 'as atelier.yaml names it, or local')
    .action(pauseProviderCommand);
  providers
    .command('resume')
    .description('gives it jobs again')
    .argument('<account>', 'as atelier.yaml names it, or local')
    .action(resumeProviderCommand);
  program.command('doctor').description('looks at everything a start needs').action(doctor);
  registerListen(program);
  registerReports(program);
}
