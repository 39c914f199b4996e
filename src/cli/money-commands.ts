/** Declares the commands of money: projects, tags, their budgets, and the journal. */
import type { Command } from 'commander';
import { lazy } from './lazy.ts';

/** Adds `projects`, `tags` and `money`. */
export function registerMoney(program: Command): void {
  const projects = program.command('projects').description('projects and their budgets');
  registerProjects(projects);
  registerBudgets(projects, { kind: 'project', argument: '<name>', says: 'its name' });
  const tags = program.command('tags').description('budgets of tags');
  registerTags(tags);
  registerBudgets(tags, { kind: 'tag', argument: '<tag>', says: 'such as campaign=spring' });
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
}

/** A tag needs no creation: setting its limit is enough. */
function registerTags(tags: Command): void {
  tags
    .command('list')
    .description('list every tag that has a budget, with its balance')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./tags.ts'),
        module => module.listTagsCommand,
      ),
    );
}

/** What a group of commands is about, and how its argument is described. */
interface BudgetGroup {
  readonly kind: 'project' | 'tag';
  readonly argument: string;
  readonly says: string;
}

/** Looking at one budget, and changing what may be spent. */
function registerBudgets(group: Command, { kind, argument, says }: BudgetGroup): void {
  group
    .command('show')
    .description(`show a ${kind} with its balance`)
    .argument(argument, says)
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./budgets.ts'),
        module => module.showBudgetCommand(kind),
      ),
    );
  group
    .command('limit')
    .description(`set the limit of a ${kind}`)
    .argument(argument, says)
    .argument('<amount>', 'such as 10.00; none removes the limit')
    .option('--month', 'the limit is one of each calendar month (UTC)')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./budgets.ts'),
        module => module.limitBudgetCommand(kind),
      ),
    );
  group
    .command('top-up')
    .description(`add an amount to the limit of a ${kind}, once for each idempotency key`)
    .argument(argument, says)
    .argument('<amount>', 'such as 10.00')
    .requiredOption('--reason <text>', 'why; stands in the journal and the audit')
    .requiredOption('--idempotency-key <key>', 'names this top-up: repeated, it adds nothing')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./budgets.ts'),
        module => module.topUpBudgetCommand(kind),
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
    .option('--tag <tag>', 'of one tag, such as campaign=spring')
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
    .command('adjust')
    .description(
      'correct what was spent, once for each idempotency key: a late charge or credit of an upstream',
    )
    .requiredOption('--amount <amount>', 'added to what was spent; negative: a credit, such as -0.30')
    .option('--job <request_id>', 'of one job, in every account that paid for it')
    .option('--project <name>', 'of one project')
    .option('--tag <tag>', 'of one tag')
    .requiredOption('--reason <text>', 'why; stands in the journal and the audit')
    .requiredOption('--idempotency-key <key>', 'names this correction: repeated, it changes nothing')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./adjust.ts'),
        module => module.adjustCommand,
      ),
    );
  money
    .command('dry-run')
    .description('print what completed jobs would have been charged by other prices; changes nothing')
    .argument('<file>', 'a price book: what stands below prices, or a whole atelier.yaml')
    .option('--days <n>', 'how far back', '30')
    .option('--json', 'print one line of JSON')
    .action(
      lazy(
        () => import('./dry-run-prices.ts'),
        module => module.dryRunPricesCommand,
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
