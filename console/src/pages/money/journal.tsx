/** The journal of one account or of all, the oldest entry first. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MoneyEntry } from '../../api/answers.ts';
import { entriesPage, projectsQuery, tagsQuery } from '../../api/queries.ts';
import { exactTime } from '../../components/format.ts';
import { MoreButton } from '../../components/more-button.tsx';
import { Empty, Failure, Loading } from '../../components/page-states.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';
import { usePages } from '../../components/use-pages.ts';

/** `account` is empty for every account. */
export function Journal({
  account,
  choose,
}: {
  readonly account: string;
  readonly choose: (account: string) => void;
}) {
  const projects = useQuery(projectsQuery).data?.data ?? [];
  const tags = useQuery(tagsQuery).data?.data ?? [];
  const nameOf = new Map([...projects, ...tags].map(({ object, id, name }) => [`${object}:${id}`, name]));
  const query = usePages(['entries', account], (after, signal) => entriesPage(account, after, signal));
  const { lines } = query;
  return (
    <div className="stack">
      <div className="row wrap">
        <label htmlFor="journal-account">Account</label>
        <select
          id="journal-account"
          className="input"
          value={account}
          onChange={event => choose(event.target.value)}
        >
          <option value="">every account</option>
          {[...nameOf].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          {account !== '' && !nameOf.has(account) && <option value={account}>{account}</option>}
        </select>
      </div>
      {query.error && !lines && <Failure failure={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading what="the journal" />}
      {lines?.length === 0 && <Empty title="No entries here" />}
      {lines && lines.length > 0 && <Table entries={lines} nameOf={nameOf} />}
      <MoreButton query={query} words="Later entries" />
    </div>
  );
}

/** One line an entry, with its job, or with the reason of an entry that was posted by hand. */
function Table({
  entries,
  nameOf,
}: {
  readonly entries: readonly MoneyEntry[];
  readonly nameOf: ReadonlyMap<string, string>;
}) {
  const hasCost = entries.some(({ cost }) => cost !== null);
  return (
    <TableWrap label="Journal">
      <table className="lines">
        <thead>
          <tr>
            <th>At</th>
            <th>Account</th>
            <th>Kind</th>
            <th className="right">Amount</th>
            {hasCost && <th className="right">Cost</th>}
            <th>For</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, at, account, kind, amount, cost, request_id, reason, actor }) => (
            <tr key={id}>
              <td className="small nowrap">{exactTime(at)}</td>
              <td>{accountInWords(account, nameOf)}</td>
              <td>{kind.replace('_', ' ')}</td>
              <td className="right number">{amount}</td>
              {hasCost && <td className="right number">{cost ?? '–'}</td>}
              <td className="small">
                {request_id !== null && (
                  <Link to="/jobs/$jobId" params={{ jobId: request_id }}>
                    {request_id}
                  </Link>
                )}
                {request_id !== null && reason !== null && ' '}
                {reason ?? (request_id === null && actor)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  );
}

/** `project:ID:2026-12` → "acme 2026-12"; keys by their id. */
function accountInWords(account: string, nameOf: ReadonlyMap<string, string>): string {
  const [kind, owner, month = ''] = account.split(':');
  const name = nameOf.get(`${kind}:${owner}`) ?? `${kind} ${owner}`;
  return month === '' ? name : `${name} ${month}`;
}
