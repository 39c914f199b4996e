/** The page of usage: jobs a day, totals, and a breakdown. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { UsageReport } from '../../api/answers.ts';
import { usageQuery } from '../../api/queries.ts';
import { formatCost, formatDuration } from '../../components/format.ts';
import { Empty, Loaded, PageHead } from '../../components/page-states.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';
import { DayBars } from './day-bars.tsx';
import { capital, daysOf, downloadCsv, sumByName, totalsOf } from './sums.ts';

/** Range and breakdown are in the address. */
const route = getRouteApi('/usage');
/** Days, as text: they stand in the address. */
const ranges = ['7', '14', '30', '90'] as const;
/** What the table below the chart has one line for. */
const breakdowns = ['model', 'key', 'user', 'project'] as const;

/** Range and breakdown are in the address. */
export function UsagePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  // Two weeks where the address names no range, or one that is not offered.
  const days = ranges.find(range => range === search.days) ?? '14';
  const by = breakdowns.find(name => name === search.by) ?? 'model';
  // Whole days of UTC, so that the query has one cache key a day.
  const today = Math.floor(Date.now() / 86_400_000);
  const query = useQuery(usageQuery(by, (today - Number(days) + 1) * 86_400));
  return (
    <>
      <PageHead title="Usage" says="Days are in UTC; a job counts on the day it ended.">
        <Switcher
          label="Days"
          options={ranges}
          value={days}
          choose={next => void navigate({ search: before => ({ ...before, days: next }), replace: true })}
        />
        <Switcher
          label="By"
          options={breakdowns}
          value={by}
          choose={next => void navigate({ search: before => ({ ...before, by: next }), replace: true })}
        />
      </PageHead>
      <Loaded query={query} what="usage">
        {report =>
          report.jobs.length === 0 ? <Empty title="No job ended in these days" /> : <Report report={report} />
        }
      </Loaded>
    </>
  );
}

/** Totals, the chart, and the breakdown. */
function Report({ report }: { readonly report: UsageReport }) {
  const totals = totalsOf(report);
  return (
    <div className="stack">
      {report.truncated && (
        <p className="notice wait">
          More jobs ended than are counted here: these are the newest of them. Choose fewer days.
        </p>
      )}
      <div className="figures">
        <Total words="Jobs" value={totals.jobs.toLocaleString()} />
        <Total words="Succeeded" value={`${totals.successPercent} %`} />
        {totals.cost && <Total words="Cost, by your prices" value={formatCost(totals.cost)} />}
        {totals.used.map(({ unit, quantity }) => (
          <Total key={unit} words={capital(unit)} value={Number(quantity.toFixed(1)).toLocaleString()} />
        ))}
      </div>
      <section className="card">
        <div className="card-head">
          <h2>Jobs a day</h2>
          <button type="button" className="button slim" onClick={() => downloadCsv(report)}>
            Download CSV
          </button>
        </div>
        <DayBars days={daysOf(report)} />
      </section>
      <Lines report={report} />
    </div>
  );
}

/** One figure of the whole range. */
function Total({ words, value }: { readonly words: string; readonly value: string }) {
  return (
    <div className="card figure">
      <span className="soft">{words}</span>
      <strong className="number">{value}</strong>
    </div>
  );
}

/** The breakdown; p50 and p95 are of completed jobs. */
function Lines({ report }: { readonly report: UsageReport }) {
  // Without prices in the settings the column would be empty.
  const hasCosts = report.costs.length > 0;
  return (
    <TableWrap label="Usage">
      <table>
        <thead>
          <tr>
            <th>{capital(report.by)}</th>
            <th className="right">Completed</th>
            <th className="right">Failed</th>
            <th className="right">Cancelled</th>
            <th>Used</th>
            {hasCosts && <th className="right">Cost</th>}
            <th className="right">Queue p50 · p95</th>
            <th className="right">Run p50 · p95</th>
          </tr>
        </thead>
        <tbody>
          {sumByName(report).map(({ name, label, completed, failed, cancelled, used, cost, speed }) => (
            <tr key={name}>
              <td>{label}</td>
              <td className="right number">{completed.toLocaleString()}</td>
              <td className={failed > 0 ? 'right number fault' : 'right number'}>
                {failed.toLocaleString()}
              </td>
              <td className="right number">{cancelled.toLocaleString()}</td>
              <td className="small">{used}</td>
              {hasCosts && <td className="right number small">{cost ? formatCost(cost) : '–'}</td>}
              <td className="right number small nowrap">
                {speed
                  ? `${formatDuration(speed.queue_ms.p50)} · ${formatDuration(speed.queue_ms.p95)}`
                  : '–'}
              </td>
              <td className="right number small nowrap">
                {speed ? `${formatDuration(speed.run_ms.p50)} · ${formatDuration(speed.run_ms.p95)}` : '–'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  );
}
