/** The page of money: budgets of projects, what was spent, the journal, and the price book. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { pricesQuery } from '../../api/queries.ts';
import { PageHead } from '../../components/page-states.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { Budgets } from './budgets.tsx';
import { Journal } from './journal.tsx';
import { Prices } from './prices.tsx';
import { breakdowns, Spend } from './spend.tsx';

/** View, breakdown and account are in the address, so that each can be linked to. */
const route = getRouteApi('/money');
/** In the order of use: what is left, what was spent, why, and by which prices. */
const views = ['Budgets', 'Spend', 'Journal', 'Prices'] as const;

/** View, breakdown and account are in the address. */
export function MoneyPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const book = useQuery(pricesQuery);
  const view = views.find(name => name === search.view) ?? 'Budgets';
  return (
    <>
      <PageHead title="Money" says={stateOf(book.data)}>
        <Switcher
          label="View"
          options={views}
          value={view}
          choose={next => void navigate({ search: { view: next }, replace: true })}
        />
      </PageHead>
      {view === 'Budgets' && <Budgets currency={book.data?.currency ?? null} />}
      {view === 'Spend' && (
        <Spend
          by={breakdowns.find(name => name === search.by) ?? 'project'}
          choose={by => void navigate({ search: { view, by }, replace: true })}
        />
      )}
      {view === 'Journal' && (
        <Journal
          account={search.account ?? ''}
          choose={account => void navigate({ search: { view, account }, replace: true })}
        />
      )}
      {view === 'Prices' && <Prices />}
    </>
  );
}

/** Whether limits have an effect: they need prices, and `hold`. */
function stateOf(book: { readonly currency: string | null; readonly hold: boolean } | undefined): string {
  if (!book) return '';
  if (book.currency === null) return 'Off: atelier.yaml has no prices.';
  return book.hold
    ? `Jobs are held against limits, in ${book.currency}.`
    : `Estimates in ${book.currency}: limits have no effect until prices.hold is true.`;
}
