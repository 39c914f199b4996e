/** The budgets of projects: their balances with bars, new projects, limits and top-ups. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ProjectLine } from '../../api/answers.ts';
import { projectsQuery } from '../../api/queries.ts';
import { Loaded } from '../../components/page-states.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';
import { useMay } from '../../shell/session.ts';
import { LimitForm, ProjectForm, TopUpForm } from './budget-forms.tsx';

/** The open dialog. */
type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'limit' | 'top-up'; readonly project: ProjectLine }
  | null;

/** For admins with the forms; other roles see the balances. `currency` is null without prices. */
export function Budgets({ currency }: { readonly currency: string | null }) {
  const query = useQuery(projectsQuery);
  const mayEdit = useMay('admin');
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <div className="stack">
      {mayEdit && (
        <div className="row">
          <button type="button" className="button main" onClick={() => setOpen({ kind: 'new' })}>
            New project
          </button>
        </div>
      )}
      <Loaded query={query} what="budgets">
        {({ data }) => <Table projects={data} currency={currency ?? ''} open={mayEdit ? setOpen : null} />}
      </Loaded>
      {open?.kind === 'new' && <ProjectForm close={close} />}
      {open?.kind === 'limit' && <LimitForm project={open.project} close={close} />}
      {open?.kind === 'top-up' && <TopUpForm project={open.project} close={close} />}
    </div>
  );
}

/** `open` is null where the role may not change budgets. */
function Table({
  projects,
  currency,
  open,
}: {
  readonly projects: readonly ProjectLine[];
  readonly currency: string;
  readonly open: ((what: Open) => void) | null;
}) {
  return (
    <TableWrap label="Budgets">
      <table className="lines">
        <thead>
          <tr>
            <th>Project</th>
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
          {projects.map(project => (
            <tr key={project.id}>
              <td>
                <strong>{project.name}</strong>
                <div className="small soft">{limitOf(project, currency)}</div>
              </td>
              <td>
                <Bar project={project} />
              </td>
              <td className="right number">{project.spent}</td>
              <td className="right number">{project.held}</td>
              <td className="right number">{project.uncertain}</td>
              <td className="right number">{project.available ?? 'unlimited'}</td>
              <td className="last">
                <div className="row actions">
                  <Link
                    to="/money"
                    search={{ view: 'Journal', account: `project:${project.id}` }}
                    className="button slim"
                  >
                    Journal
                  </Link>
                  {open && (
                    <>
                      <button
                        type="button"
                        className="button slim"
                        onClick={() => open({ kind: 'limit', project })}
                      >
                        Set limit
                      </button>
                      {project.limit !== null && (
                        <button
                          type="button"
                          className="button slim"
                          onClick={() => open({ kind: 'top-up', project })}
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
const limitOf = ({ limit, monthly }: ProjectLine, currency: string): string =>
  limit === null ? 'no limit' : `${limit} ${currency}${monthly ? ' a month (UTC)' : ''}`;

/** The share of the limit that is spent, held or uncertain. */
function Bar({ project: { name, limit, available } }: { readonly project: ProjectLine }) {
  if (limit === null || available === null) return <span className="small soft">–</span>;
  // For the length of a bar alone: amounts are shown as the gateway writes them.
  const [whole, left] = [Number(limit), Number(available)];
  const percent = whole <= 0 ? 100 : Math.max(0, Math.min(100, Math.round((100 * (whole - left)) / whole)));
  return (
    <span className="row">
      <progress className="progress" max={100} value={percent} aria-label={`Used of ${name}`} />
      <span className="small number">{percent} %</span>
    </span>
  );
}
