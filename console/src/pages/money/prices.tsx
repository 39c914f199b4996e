/** The price book as the gateway read it: prices by model and tier, and the versions that unfinished jobs are held under. */
import { useQuery } from '@tanstack/react-query';
import type { PriceBook } from '../../api/answers.ts';
import { pricesQuery } from '../../api/queries.ts';
import { counted } from '../../components/format.ts';
import { Empty, Loaded } from '../../components/page-states.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';
import { PriceDryRunForm } from './price-dry-run.tsx';

/** Prices are changed in atelier.yaml alone. */
export function Prices() {
  return (
    <div className="stack">
      <Loaded query={useQuery(pricesQuery)} what="prices">
        {book =>
          book.currency === null ? (
            <Empty title="No prices are set">
              <p>Write them under prices in atelier.yaml.</p>
            </Empty>
          ) : (
            <Book book={book} />
          )
        }
      </Loaded>
      <PriceDryRunForm />
    </div>
  );
}

/** The book as it counts now. Unfinished jobs keep the prices of the version that they were held under. */
function Book({
  book: { currency, version, unpriced, models, held_versions },
}: {
  readonly book: PriceBook;
}) {
  const hasCost = models.some(({ tiers }) => tiers.some(({ cost }) => cost !== null));
  return (
    <div className="stack">
      <p className="small soft">
        Version <code>{version}</code>, in {currency}. A model without a price under a limit is{' '}
        {unpriced === 'free' ? 'free' : 'refused'}.
        {held_versions.map(held => (
          <span key={held.version}>
            {' '}
            {counted(held.jobs, 'unfinished job')} held under <code>{held.version}</code>.
          </span>
        ))}
      </p>
      <TableWrap label="Prices">
        <table>
          <thead>
            <tr>
              <th>Model</th>
              <th>Inputs</th>
              <th>Price of one</th>
              {hasCost && <th>Cost of one</th>}
            </tr>
          </thead>
          <tbody>
            {models.flatMap(({ model, tiers }) =>
              tiers.map(({ when, units, max, cost }) => (
                <tr key={`${model} ${pairs(when)}`}>
                  <td>{model}</td>
                  <td className="small">{pairs(when) || 'every input'}</td>
                  <td className="number small">
                    {pairs(units)}
                    {pairs(max) && ` (at most ${pairs(max)})`}
                  </td>
                  {hasCost && <td className="number small">{cost ? pairs(cost) : '–'}</td>}
                </tr>
              )),
            )}
          </tbody>
        </table>
      </TableWrap>
    </div>
  );
}

/** "second 0.1, image 0.04". */
const pairs = (values: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name.replace('_', ' ')} ${value}`)
    .join(', ');
