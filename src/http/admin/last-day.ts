/** The last 24 hours on the first page of the console: jobs by hour, p95 of the run time, cost by the prices. */

import { days, hours } from '../../domain/clock.ts';
import { estimateCost, type Prices } from '../../domain/prices.ts';
import { sumUsage, type UsageSum } from '../../store/attempts/usage-report.ts';
import { countByHour, measureRunP95 } from '../../store/jobs/last-day.ts';
import { measureRefusals, type RefusalRate } from '../../store/refusals/refused-requests.ts';
import type { HttpContext } from '../http-context.ts';

/** The page asks every three seconds; these sums change little in this time. */
const maxAgeMs = 10_000;

/** One answer for every reader of this process, until it is too old. */
export function openLastDay(context: Pick<HttpContext, 'db' | 'clock' | 'prices'>) {
  let kept: { readonly at: number; readonly body: ReturnType<typeof readLastDay> } | null = null;
  return () => {
    const now = context.clock.now();
    if (kept === null || now - kept.at > maxAgeMs) {
      const body = readLastDay(context, now);
      kept = { at: now, body };
      // A failure is the answer of this request alone.
      body.catch(() => (kept = null));
    }
    return kept.body;
  };
}

/** 24 whole hours and the present one. */
async function readLastDay({ db, prices }: Pick<HttpContext, 'db' | 'prices'>, now: number) {
  const since = Math.floor(now / hours) * hours - days;
  const byHour = await countByHour(db, since, now);
  return {
    hours: byHour.map(hour => ({ ...hour, at: hour.at / 1000 })),
    run_p95_ms: await measureRunP95(db, since),
    refused: refusedOf(await measureRefusals(db, now)),
    cost: costOf(prices(), await sumUsage(db, { from: since, to: now + 1, by: 'model' })),
  };
}

/** A quiet gateway's few refusals are no spike. */
const leastSpike = 20;
const spikeFactor = 3;

const refusedOf = ({ lastHour, usualHour }: RefusalRate) => ({
  last_hour: lastHour,
  is_spike: lastHour >= leastSpike && lastHour > spikeFactor * usualHour,
});

/** Null where no model that was used has a price. All prices are in one currency. */
function costOf(prices: Prices | null, sums: readonly UsageSum[]) {
  const byModel = Map.groupBy(sums, ({ modelId }) => modelId);
  const costs = [...byModel].flatMap(([modelId, used]) => estimateCost(prices, modelId, used) ?? []);
  const [first] = costs;
  if (!first) return null;
  return { amount: costs.reduce((sum, { amount }) => sum + amount, 0), currency: first.currency };
}
