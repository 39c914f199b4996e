/** Another price book tried on completed jobs: what they would have been charged. Nothing is changed. */
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { PriceDryRun } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { FormFault } from '../../components/form-fault.tsx';
import { counted } from '../../components/format.ts';
import { Empty } from '../../components/page-states.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';

/** The book is pasted as it would stand below prices in atelier.yaml. */
export function PriceDryRunForm() {
  const run = useMutation({
    mutationFn: (form: FormData) =>
      callApi<PriceDryRun>('POST', 'money/prices/dry-run', {
        body: { book: String(form.get('book')), days: Number(form.get('days')) },
      }),
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    run.mutate(new FormData(event.currentTarget));
  }
  return (
    <section className="stack">
      <h2>Try other prices</h2>
      <form className="stack" onSubmit={submit}>
        <div className="field-line">
          <label htmlFor="dry-run-book">Price book</label>
          <textarea
            id="dry-run-book"
            name="book"
            className="input mono"
            rows={6}
            required
            spellCheck={false}
            placeholder={'currency: USD\nmodels:\n  eta2.6-t2v: { second: 0.10 }'}
          />
        </div>
        <div className="row wrap">
          <label htmlFor="dry-run-days">Jobs of the last</label>
          <select id="dry-run-days" name="days" className="input" defaultValue="30">
            {[1, 7, 30, 90].map(days => (
              <option key={days} value={days}>
                {counted(days, 'day')}
              </option>
            ))}
          </select>
          <button type="submit" className="button main" disabled={run.isPending}>
            Try on past jobs
          </button>
          <span className="small soft">Changes nothing.</span>
        </div>
        <FormFault message={run.error?.message} />
      </form>
      {run.data && <Result run={run.data} />}
    </section>
  );
}

/** By model, the dearest under the new prices first. */
function Result({ run: { jobs, data, currency, truncated } }: { readonly run: PriceDryRun }) {
  if (data.length === 0) return <Empty title="No job completed in that time" />;
  return (
    <>
      {truncated && (
        <p className="notice wait">Only the newest {jobs.toLocaleString()} jobs were looked at.</p>
      )}
      <TableWrap label="Try other prices">
        <table>
          <thead>
            <tr>
              <th>Model</th>
              <th className="right">Jobs</th>
              <th className="right">Charged</th>
              <th className="right">By present prices</th>
              <th className="right">By these</th>
              <th className="right">Difference</th>
            </tr>
          </thead>
          <tbody>
            {data.map(line => (
              <tr key={line.model}>
                <td>
                  {line.model}
                  {line.unpriced_jobs > 0 && (
                    <div className="small soft">{counted(line.unpriced_jobs, 'job')} without a price</div>
                  )}
                </td>
                <td className="right number">{line.jobs.toLocaleString()}</td>
                <td className="right number">{line.charged}</td>
                <td className="right number">{line.present}</td>
                <td className="right number">
                  {line.candidate} {currency}
                </td>
                <td className="right number">{line.difference}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </>
  );
}
