/** Usage, costs and durations over a period. */

import type { FastifyRequest } from 'fastify';
import { usageReportSchema } from '../../answers/admin/usage.ts';
import { days, toUnixSeconds } from '../../domain/clock.ts';
import { estimateCost, type Prices } from '../../domain/prices.ts';
import {
  breakdowns,
  countEndedJobs,
  measureDurations,
  type ReportQuery,
  readNames,
  sumUsage,
  type UsageSum,
} from '../../store/attempts/usage-report.ts';
import type { HttpContext } from '../http-context.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { refuseField } from './admin-body.ts';
import { choiceOf, refuseUnknownQuery, timeOf } from './read-query.ts';

/** Two weeks: a full one and the one before it. */
const defaultDays = 14;
/** A leap year. Longer reports are several requests. */
const maxDays = 366;

/** Jobs, usage, costs and durations of a period, by day and by model, key, user or project. */
export const getUsage: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/usage',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'The report.', body: usageReportSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    refuseUnknownQuery(request, ['from', 'to', 'by']);
    const query = readQuery(context, request);
    const { lines, isCut } = await countEndedJobs(context.db, query);
    const names = await readNames(context.db, query.by);
    // Ids are what lines are grouped by; people read labels.
    const named = <Line extends { readonly name: string }>(line: Line) => ({
      ...line,
      label: names.get(line.name) ?? line.name,
    });
    const sums = await sumUsage(context.db, query);
    return {
      object: 'usage',
      by: query.by,
      from: toUnixSeconds(query.from),
      to: toUnixSeconds(query.to),
      jobs: lines.map(line => ({ ...named(line), day: toUnixSeconds(line.day) })),
      used: overModels(sums).map(sum => ({ ...named(sum), day: toUnixSeconds(sum.day) })),
      costs: costsOf(context.prices(), sums).map(cost => ({ ...named(cost), day: toUnixSeconds(cost.day) })),
      speed: (await measureDurations(context.db, query)).map(({ queueMs, runMs, ...speed }) => ({
        ...named(speed),
        queue_ms: queueMs,
        run_ms: runMs,
      })),
      truncated: isCut,
    };
  },
};

/** By day, name, unit and basis. */
function overModels(sums: readonly UsageSum[]) {
  const context = Map.groupBy(sums, ({ day, name, unit, basis }) => JSON.stringify([day, name, unit, basis]));
  return [...context.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const { modelId: _, ...sum } = first;
    return [{ ...sum, quantity: others.reduce((all, { quantity }) => all + quantity, sum.quantity) }];
  });
}

/** By day and name, over the models that have a price. */
function costsOf(prices: Prices | null, sums: readonly UsageSum[]) {
  const context = Map.groupBy(sums, ({ day, name }) => JSON.stringify([day, name]));
  return [...context.values()].flatMap(own => {
    const byModel = Map.groupBy(own, ({ modelId }) => modelId);
    const costs = [...byModel].flatMap(([modelId, lines]) => estimateCost(prices, modelId, lines) ?? []);
    const [line, first] = [own[0], costs[0]];
    if (!line || !first) return [];
    // All prices are in one currency, so the first one says which.
    const amount = costs.reduce((sum, cost) => sum + cost.amount, 0);
    return [{ day: line.day, name: line.name, amount, currency: first.currency }];
  });
}

/** The period and breakdown of the report. */
function readQuery({ clock }: HttpContext, request: FastifyRequest): ReportQuery {
  const to = timeOf(request, 'to') ?? clock.now() + 1;
  const from = timeOf(request, 'from') ?? Math.floor(to / days) * days - (defaultDays - 1) * days;
  if (from >= to) refuseField('from', 'must be before to');
  if (to - from > maxDays * days) refuseField('from', `must be at most ${maxDays} days before to`);
  return { from, to, by: choiceOf(request, 'by', breakdowns) ?? 'model' };
}
