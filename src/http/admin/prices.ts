/** The price book in the admin API, as the gateway read it from its settings. */
import { priceBookSchema } from '../../answers/admin/money.ts';
import { countHeldVersions } from '../../store/money/holds.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';

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
