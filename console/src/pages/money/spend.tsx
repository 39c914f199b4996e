/** What jobs were charged in this month, by project, key, model, provider, day or tag; with a link to the CSV. */
import { useQuery } from '@tanstack/react-query';
import type { SpendBody } from '../../api/answers.ts';
import { gatewayRoot } from '../../api/call-api.ts';
import { spendPath, spendQuery } from '../../api/queries.ts';
import { Empty, Loaded } from '../../components/page-states.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';

/** What lines are summed by; a tag is shown as `name=value`. */
export const breakdowns = ['project', 'key', 'model', 'provider', 'day', 'tag'] as const;
/** One of them. */
export type SpendBreakdown = (typeof breakdowns)[number];

/** A job counts on the day when its hold ended. */
export function Spend({
  by,
  choose,
}: {
  readonly by: SpendBreakdown;
  readonly choose: (by: SpendBreakdown) => void;
}) {
  const now = new Date();
  // Unix seconds of the first moment of the month.
  const from = Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) / 1_000;
  const query = useQuery(spendQuery(by, from));
  return (
    <div className="stack">
      <div className="row wrap">
        <Switcher label="By" options={breakdowns} value={by} choose={choose} />
        <span className="small soft">Since the first of this month (UTC)</span>
        <span className="grow" />
        <a
          className="button slim"
          download
          href={new URL(`admin/v1/${spendPath(by, from, 'csv')}`, gatewayRoot).href}
        >
          Download CSV
        </a>
      </div>
      <Loaded query={query} what="spent money">
        {report =>
          report.data.length === 0 ? (
            <Empty title="No job that had a hold ended in this month" />
          ) : (
            <Table report={report} />
          )
        }
      </Loaded>
    </div>
  );
}

/** Lines as the gateway sorts them; jobs without the breakdown's value have a line of their own. */
function Table({ report: { by, data, truncated } }: { readonly report: SpendBody }) {
  return (
    <>
      {truncated && <p className="notice wait">There are more lines than are shown here.</p>}
      <TableWrap label="Spent">
        <table>
          <thead>
            <tr>
              <th>{by}</th>
              <th className="right">Jobs</th>
              <th className="right">Charged</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ name, label, jobs, amount, currency }) => (
              <tr key={`${name} ${currency}`}>
                <td>{label || `no ${by}`}</td>
                <td className="right number">{jobs.toLocaleString()}</td>
                <td className="right number">
                  {amount} {currency}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </>
  );
}
