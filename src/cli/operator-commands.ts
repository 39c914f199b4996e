/** Declares the commands of the operator: their names, options and help. */
import type { Command } from 'commander';
import { registerListen } from './client/listen.ts';
import { registerReports } from './client/reports.ts';
import { lazy } from './lazy.ts';
import { registerMoney } from './money-commands.ts';

/** Adds every operator command. What a command needs of the gateway is loaded when it runs. */
export function registerOperatorCommands(program: Command): void {
  registerGateway(program);
  registerKeys(program);
  registerMoney(program);
  registerUncertain(program);
  registerCallbacks(program);
  registerAudit(program);
  registerConfig(program);
  registerProviders(program);
  program
    .command('doctor')
    .description('run the start checks')
    .action(
      lazy(
        () => import('./doctor.ts'),
        module => module.doctor,
      ),
    );
  registerListen(program);
  registerReports(program);
}

/** Running a gateway and the state it works on. */
function registerGateway(program: Command): void {
  program
    .command('serve')
    .description('run the gateway')
    .option('--role <role>', 'api, worker or all (instead of ATELIER_ROLE)')
    .option(
      '--processes <count>',
      'number of processes that share the port (PostgreSQL only; instead of ATELIER_PROCESSES)',
    )
    .option('--reconcile', 'first start of a restored backup: reconcile submissions made after it')
    .action(
      lazy(
        () => import('./serve.ts'),
        module => module.serve,
      ),
    );
  program
    .command('backup')
    .description('copy database, files and secrets; the gateway may run meanwhile')
    .argument('<folder>', 'an empty or new folder')
    .action(
      lazy(
        () => import('./backup.ts'),
        module => module.backup,
      ),
    );
  program
    .command('migrate')
    .description('apply database migrations')
    .action(
      lazy(
        () => import('./migrate.ts'),
        module => module.migrateCommand,
      ),
    );
  program
    .command('setup-link')
    .description('print a new link that creates the first account of the console, for 24 hours')
    .action(
      lazy(
        () => import('./setup-link.ts'),
        module => module.setupLinkCommand,
      ),
    );
}

/** API keys in the database. */
function registerKeys(program: Command): void {
  const keys = program.command('keys').description('manage API keys');
  keys
    .command('create')
    .description('create a key and print it once')
    .requiredOption('--user <name>', 'user of the key; a new name creates a new user')
    .option('--name <text>', 'what the key is for')
    .option('--models <ids>', 'comma-separated model ids it may use (default: all)')
    .option('--scopes <scopes>', 'comma-separated: jobs:create, jobs:read, files, webhook-secret')
    .option('--expires <time>', 'such as 90d or 12h (default: never)')
    .option('--project <name>', 'project that pays for its jobs (default: default)')
    .option('--limit <amount>', 'most that it may spend, such as 10.00 (default: no limit)')
    .option('--month', 'the limit is one of each calendar month (UTC)')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./keys.ts'),
        module => module.createKeyCommand,
      ),
    );
  keys
    .command('list')
    .description('list every key, without its secret')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./keys.ts'),
        module => module.listKeysCommand,
      ),
    );
  keys
    .command('revoke')
    .description('revoke a key')
    .argument('<id>', 'the key_… id')
    .action(
      lazy(
        () => import('./keys.ts'),
        module => module.revokeKeyCommand,
      ),
    );
}

/** The aliases are the former names of these commands; they stay for one release. */
function registerUncertain(program: Command): void {
  const uncertain = program
    .command('uncertain')
    .alias('doubts')
    .description('uncertain submissions: calls that may have been charged');
  uncertain
    .command('list', { isDefault: true })
    .description('list open uncertain submissions')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./uncertain-submissions.ts'),
        module => module.listUncertainCommand,
      ),
    );
  uncertain
    .command('charged')
    .alias('adopt')
    .description('resolve as charged: a new job fetches the upstream result')
    .argument('<request_id>', 'the job with the uncertain submission')
    .argument('<upstream_id>', 'its id at the upstream')
    .action(
      lazy(
        () => import('./uncertain-submissions.ts'),
        module => module.resolveChargedCommand,
      ),
    );
  uncertain
    .command('not-charged')
    .alias('give-up')
    .description('close it as not charged')
    .argument('<request_id>', 'the job with the uncertain submission')
    .action(
      lazy(
        () => import('./uncertain-submissions.ts'),
        module => module.resolveNotChargedCommand,
      ),
    );
  uncertain
    .command('resend')
    .alias('send-again')
    .description('submit the same input as a new job')
    .argument('<request_id>', 'the job with the uncertain submission')
    .option('--accept-a-second-charge', 'confirm that the first call may have been charged')
    .action(
      lazy(
        () => import('./uncertain-submissions.ts'),
        module => module.resendUncertainCommand,
      ),
    );
}

/** Webhooks (callbacks) and their secrets. */
function registerCallbacks(program: Command): void {
  const callbacks = program.command('callbacks').description('webhooks (callbacks) sent to callback_url');
  callbacks
    .command('list')
    .description('list callbacks, newest first')
    .option('--failed', 'only failed ones')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./callbacks.ts'),
        module => module.listCallbacksCommand,
      ),
    );
  callbacks
    .command('redeliver')
    .description('send again, under the same id')
    .argument('[id]', 'the msg_… id')
    .option('--failed-since <time>', 'every final event that failed since then')
    .action(
      lazy(
        () => import('./callbacks.ts'),
        module => module.redeliverCommand,
      ),
    );
  callbacks
    .command('rotate-secret')
    .description('create a new signing secret; the old one stays valid for 24 hours')
    .requiredOption('--user <name>', 'user of the callbacks')
    .action(
      lazy(
        () => import('./callbacks.ts'),
        module => module.rotateSecretCommand,
      ),
    );
  callbacks
    .command('renew-secrets')
    .description('replace the signing secrets of all users (after the master secret was lost or changed)')
    .action(
      lazy(
        () => import('./callbacks.ts'),
        module => module.renewSecretsCommand,
      ),
    );
}

/** The audit log. */
function registerAudit(program: Command): void {
  const audit = program
    .command('audit')
    .description('audit log: changes of keys, jobs and callbacks by actor');
  audit
    .command('list')
    .description('list entries, newest first')
    .option('--limit <count>', 'maximum number of entries', '50')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./audit.ts'),
        module => module.listAuditCommand,
      ),
    );
  audit
    .command('verify')
    .description('verify the hash chain; exit with 1 when an entry was changed or removed')
    .action(
      lazy(
        () => import('./audit.ts'),
        module => module.verifyAuditCommand,
      ),
    );
}

/** Settings, without starting anything. */
function registerConfig(program: Command): void {
  const config = program.command('config').description('check the settings');
  config
    .command('check')
    .description('validate the settings and print them')
    .option('--online', 'also make the free test calls of every account and route; nothing is charged')
    .action(
      lazy(
        () => import('./check-config.ts'),
        module => module.checkConfig,
      ),
    );
  config
    .command('schema')
    .description('print the JSON Schema of atelier.yaml, for editors')
    .action(
      lazy(
        () => import('./print-schema.ts'),
        module => module.printSchemaCommand,
      ),
    );
}

/** Accounts at upstreams. */
function registerProviders(program: Command): void {
  const providers = program.command('providers').description('manage accounts at upstreams');
  providers
    .command('list')
    .description('list every account with its provider, its slots and the models routed to it')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./providers.ts'),
        module => module.listProvidersCommand,
      ),
    );
  providers
    .command('test')
    .description('make one free call with its key; exit with 1 unless the upstream accepts it')
    .argument('<account>', 'as atelier.yaml names it')
    .action(
      lazy(
        () => import('./providers.ts'),
        module => module.testProviderCommand,
      ),
    );
  providers
    .command('add')
    .description('ask for what an account needs, test it with a free call, and write it into atelier.yaml')
    .argument('<provider>', 'such as fal; docs/providers.md lists them')
    .option('--name <account>', 'name of the account (default: that of the provider)')
    .option('--key-env <variable>', 'environment variable with the key')
    .option('--key-file <path>', 'file with the key')
    .option('--set <setting=value...>', 'settings that are no secret, such as base_url=http://10.0.0.11:8188')
    .option('--models <ids>', 'comma-separated models to route to it (default: all that it serves)')
    .option('--yes', 'write without asking')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./add-provider.ts'),
        module => module.addProviderCommand,
      ),
    );
  providers
    .command('record')
    .description('make one real job, which may be charged, and keep its calls without secrets as a test file')
    .argument('<account>', 'as atelier.yaml names it')
    .option('--model <id>', 'the model (default: the cheapest that is routed to the account)')
    .option('--input <file>', 'its input as JSON (default: the first example of the model)')
    .option('--to <folder>', 'where the file is written, in a folder of the provider', 'test/replies')
    .option('--yes', 'confirm that the account may be charged')
    .action(
      lazy(
        () => import('./record-provider.ts'),
        module => module.recordProviderCommand,
      ),
    );
  providers
    .command('pause')
    .description('stop routing new jobs to it; in-flight jobs continue')
    .argument('<account>', 'as atelier.yaml names it, or local')
    .action(
      lazy(
        () => import('./providers.ts'),
        module => module.pauseProviderCommand,
      ),
    );
  providers
    .command('resume')
    .description('route jobs to it again')
    .argument('<account>', 'as atelier.yaml names it, or local')
    .action(
      lazy(
        () => import('./providers.ts'),
        module => module.resumeProviderCommand,
      ),
    );
}
