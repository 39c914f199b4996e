/** What jobs were charged in a month, by project, key, model, provider, day or tag; with a link to the CSV. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SpendBody } from '../../api/answers.ts';
import { gatewayRoot } from '../../api/call-api.ts';
import { type SpendPeriod, spendPath, spendQuery } from '../../api/queries.ts';
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
  const [back, setBack] = useState(0);
  const period = monthBack(back);
  const query = useQuery(spendQuery(by, period));
  return (
    <div className="stack">
      <div className="row wrap">
        <Switcher label="By" options={breakdowns} value={by} choose={choose} />
        <label htmlFor="spend-month">Month (UTC)</label>
        <select
          id="spend-month"
          className="input"
          value={back}
          onChange={event => setBack(Number(event.target.value))}
        >
          {months.map(ago => (
            <option key={ago} value={ago}>
              {new Date(monthBack(ago).from * 1_000).toISOString().slice(0, 7)}
            </option>
          ))}
        </select>
        <span className="grow" />
        <a
          className="button slim"
          download
          href={new URL(`admin/v1/${spendPath(by, period, 'csv')}`, gatewayRoot).href}
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

/** The present one and those before it. */
const months = Array.from({ length: 12 }, (_, ago) => ago);

/** A calendar month of UTC, so many months ago. */
function monthBack(ago: number): SpendPeriod {
  const now = new Date();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() - ago];
  return { from: Date.UTC(year, month) / 1_000, to: Date.UTC(year, month + 1) / 1_000 };
}

/** Lines as the gateway sorts them; jobs without the breakdown's value have a line of their own. */
function Table({ report: { by, data, truncated } }: { readonly report: SpendBody }) {
  const hasCost = data.some(({ cost }) => cost !== null);
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
              {hasCost && <th className="right">Cost</th>}
              {hasCost && <th className="right">Margin</th>}
            </tr>
          </thead>
          <tbody>
            {data.map(({ name, label, jobs, amount, cost, margin, currency }) => (
              <tr key={`${name} ${currency}`}>
                <td>{label || `no ${by}`}</td>
                <td className="right number">{jobs.toLocaleString()}</td>
                <td className="right number">
                  {amount} {currency}
                </td>
                {hasCost && <td className="right number">{cost ?? '–'}</td>}
                {hasCost && <td className="right number">{margin ?? '–'}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </>
  );
}
