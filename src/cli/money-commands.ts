/** Declares the commands of money: projects, their budgets, and the journal. */
import type { Command } from 'commander';
import { lazy } from './lazy.ts';

/** Adds `projects` and `money`. */
export function registerMoney(program: Command): void {
  const projects = program.command('projects').description('projects and their budgets');
  registerProjects(projects);
  registerBudgets(projects);
  registerJournal(program.command('money').description('the journal, and what was spent'));
}

/** Making projects and looking at them. */
function registerProjects(projects: Command): void {
  projects
    .command('create')
    .description('create a project')
    .argument('<name>', 'its name')
    .option('--limit <amount>', 'most that it may spend, such as 10.00 (default: no limit)')
    .option('--month', 'the limit is one of each calendar month (UTC)')
    .option('--floor <amount>', 'how far below 0 an overrun may bring it, such as -5.00 (default: 0)')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./projects.ts'),
        module => module.createProjectCommand,
      ),
    );
  projects
    .command('list')
    .description('list every project with its balance')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./projects.ts'),
        module => module.listProjectsCommand,
      ),
    );
  projects
    .command('show')
    .description('show a project with its balance')
    .argument('<name>', 'its name')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./projects.ts'),
        module => module.showProjectCommand,
      ),
    );
}

/** Changing what a project may spend. */
function registerBudgets(projects: Command): void {
  projects
    .command('limit')
    .description('set the limit of a project')
    .argument('<name>', 'its name')
    .argument('<amount>', 'such as 10.00; none removes the limit')
    .option('--month', 'the limit is one of each calendar month (UTC)')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./projects.ts'),
        module => module.limitProjectCommand,
      ),
    );
  projects
    .command('top-up')
    .description('add an amount to the limit of a project, once for each idempotency key')
    .argument('<name>', 'its name')
    .argument('<amount>', 'such as 10.00')
    .requiredOption('--reason <text>', 'why; stands in the journal and the audit')
    .requiredOption('--idempotency-key <key>', 'names this top-up: repeated, it adds nothing')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./projects.ts'),
        module => module.topUpProjectCommand,
      ),
    );
}

/** Entries, spent money, and the check of the books. */
function registerJournal(money: Command): void {
  money
    .command('entries', { isDefault: true })
    .description('print the journal, oldest first')
    .option('--project <name>', 'of one project')
    .option('--key <id>', 'of one key')
    .option('--job <request_id>', 'of one job')
    .option('--json', 'print a line of JSON for each entry')
    .action(
      lazy(
        () => import('./money.ts'),
        module => module.listEntriesCommand,
      ),
    );
  money
    .command('spend')
    .description('print what jobs were charged in this month, or in that time')
    .option('--by <what>', 'project, key, model, provider, day or tag', 'project')
    .option('--from <time>', 'ISO 8601 or Unix seconds (default: the first of this month, UTC)')
    .option('--to <time>', 'ISO 8601 or Unix seconds, exclusive (default: now)')
    .option('--csv', 'print CSV')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./spend.ts'),
        module => module.spendCommand,
      ),
    );
  money
    .command('check')
    .description('sum every balance anew and verify the journal')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./money.ts'),
        module => module.checkMoneyCommand,
      ),
    );
}
