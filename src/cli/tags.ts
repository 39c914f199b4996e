/** `atelier tags list`: the budgets of tags. */
import { textOfTagId } from '../domain/tags.ts';
import { listTagBudgets } from '../store/money/projects.ts';
import { type JsonOption, printBudgets } from './budgets.ts';

/** Every tag that has or had a limit, with its balance. */
export const listTagsCommand = (options: JsonOption): Promise<void> =>
  printBudgets(
    async db => (await listTagBudgets(db)).map(id => ({ kind: 'tag', id, name: textOfTagId(id) })),
    options,
  );
