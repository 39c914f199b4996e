/** The price book in the admin API, as the gateway read it from its settings. */
import { priceBookSchema, priceDryRunSchema } from '../../answers/admin/money.ts';
import { days, toUnixSeconds } from '../../domain/clock.ts';
import { openSemaphore } from '../../domain/semaphore.ts';
import { countHeldVersions } from '../../store/money/holds.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { dryRunPrices } from './price-dry-run.ts';

/** Prices by model and tier, their version, and the versions under which unfinished jobs are held. */
export const getPrices: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/money/prices',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'The price book.', body: priceBookSchema },
  },
  docs: { undocumented: adminApi },
  open:
    ({ db, prices }) =>
    async () => {
      const book = prices();
      return {
        object: 'price_book',
        currency: book?.currency ?? null,
        hold: book?.hold ?? false,
        unpriced: book?.unpriced ?? 'refuse',
        version: book?.version ?? null,
        models: [...(book?.models ?? [])].map(([model, tiers]) => ({ model, tiers })),
        held_versions: await countHeldVersions(db),
      };
    },
};

/** Longer than any price book of this catalog. */
const maxBookBytes = 256 * 1024;
const defaultDays = 30;
const maxDays = 366;

/** Tries a price book on the completed jobs of the last days, and changes nothing. */
export const dryRunPriceBook: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/money/prices/dry-run',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'Old and new amounts by model.', body: priceDryRunSchema },
  },
  docs: { undocumented: adminApi },
  open({ db, clock, prices, catalog, readPriceBook }) {
    // It computes: one after the other leaves the process to clients.
    const turns = openSemaphore(1);
    return async (_operator, request) => {
      const { book, days: wanted = defaultDays } = await readAdminBody(
        request,
        ['book', 'days'],
        maxBookBytes,
      );
      if (typeof book !== 'string') refuseField('book', 'must be a price book as text, in YAML or JSON');
      if (!Number.isInteger(wanted) || Number(wanted) < 1 || Number(wanted) > maxDays)
        refuseField('days', `must be between 1 and ${maxDays}`);
      const read = readPriceBook(book);
      if ('faults' in read) refuseField('book', read.faults.join('; '));
      const to = clock.now() + 1;
      const from = to - Number(wanted) * days;
      const release = await turns.acquire();
      try {
        const run = { candidate: read.prices, present: prices(), from, to };
        const period = { from: toUnixSeconds(from), to: toUnixSeconds(to) };
        return { object: 'price_dry_run', ...period, ...(await dryRunPrices(db, catalog, run)) };
      } finally {
        release();
      }
    };
  },
};
