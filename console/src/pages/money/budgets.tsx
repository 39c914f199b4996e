/** The budgets of projects and tags: their balances with bars, new ones, limits and top-ups. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { projectsQuery, tagsQuery } from '../../api/queries.ts';
import { Loaded } from '../../components/page-states.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';
import { useMay } from '../../shell/session.ts';
import { type BudgetLine, LimitForm, ProjectForm, TagForm, TopUpForm } from './budget-forms.tsx';

/** The open dialog. */
type Open =
  | { readonly kind: 'project' | 'tag' }
  | { readonly kind: 'limit' | 'top-up'; readonly budget: BudgetLine }
  | null;

/** For admins with the forms; other roles see the balances. `currency` is null without prices. */
export function Budgets({ currency }: { readonly currency: string | null }) {
  const query = useQuery(projectsQuery);
  const tags = useQuery(tagsQuery).data?.data ?? [];
  const mayEdit = useMay('admin');
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <div className="stack">
      {mayEdit && (
        <div className="row">
          <button type="button" className="button main" onClick={() => setOpen({ kind: 'project' })}>
            New project
          </button>
          <button type="button" className="button" onClick={() => setOpen({ kind: 'tag' })}>
            Budget of a tag
          </button>
        </div>
      )}
      <Loaded query={query} what="budgets">
        {({ data }) => (
          <Table of="Project" budgets={data} currency={currency ?? ''} open={mayEdit ? setOpen : null} />
        )}
      </Loaded>
      {tags.length > 0 && (
        <Table of="Tag" budgets={tags} currency={currency ?? ''} open={mayEdit ? setOpen : null} />
      )}
      {open?.kind === 'project' && <ProjectForm close={close} />}
      {open?.kind === 'tag' && <TagForm close={close} />}
      {open?.kind === 'limit' && <LimitForm budget={open.budget} close={close} />}
      {open?.kind === 'top-up' && <TopUpForm budget={open.budget} close={close} />}
    </div>
  );
}

/** Budgets of one kind. `open` is null where the role may not change them. */
function Table({
  of,
  budgets,
  currency,
  open,
}: {
  readonly of: 'Project' | 'Tag';
  readonly budgets: readonly BudgetLine[];
  readonly currency: string;
  readonly open: ((what: Open) => void) | null;
}) {
  return (
    <TableWrap label={`Budgets of ${of.toLowerCase()}s`}>
      <table className="lines">
        <thead>
          <tr>
            <th>{of}</th>
            <th>Used</th>
            <th className="right">Spent</th>
            <th className="right">Held</th>
            <th className="right">Uncertain</th>
            <th className="right">Available</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {budgets.map(budget => (
            <tr key={budget.id}>
              <td>
                <strong>{budget.name}</strong>
                <div className="small soft">{limitOf(budget, currency)}</div>
              </td>
              <td>
                <Bar budget={budget} />
              </td>
              <td className="right number">{budget.spent}</td>
              <td className="right number">{budget.held}</td>
              <td className="right number">{budget.uncertain}</td>
              <td className="right number">{budget.available ?? 'unlimited'}</td>
              <td className="last">
                <div className="row actions">
                  <Link
                    to="/money"
                    search={{ view: 'Journal', account: `${budget.object}:${budget.id}` }}
                    className="button slim"
                  >
                    Journal
                  </Link>
                  {open && (
                    <>
                      <button
                        type="button"
                        className="button slim"
                        onClick={() => open({ kind: 'limit', budget })}
                      >
                        Set limit
                      </button>
                      {budget.limit !== null && (
                        <button
                          type="button"
                          className="button slim"
                          onClick={() => open({ kind: 'top-up', budget })}
                        >
                          Top up
                        </button>
                      )}
                    </>
                  )}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  );
}

/** The limit as people read it; the figures beside it are of the same period. */
const limitOf = ({ limit, monthly }: BudgetLine, currency: string): string =>
  limit === null ? 'no limit' : `${limit} ${currency}${monthly ? ' a month (UTC)' : ''}`;

/** The share of the limit that is spent, held or uncertain. */
function Bar({ budget: { name, limit, available } }: { readonly budget: BudgetLine }) {
  if (limit === null || available === null) return <span className="small soft">–</span>;
  // For the length of a bar alone: amounts are shown as the gateway writes them.
  const [whole, left] = [Number(limit), Number(available)];
  const percent = whole <= 0 ? 100 : Math.max(0, Math.min(100, Math.round((100 * (whole - left)) / whole)));
  return (
    <span className="row">
      <progress className="progress" max={100} value={percent} aria-label={`Used of ${name}`} />
      <span className="small number nowrap">{percent} %</span>
    </span>
  );
}
