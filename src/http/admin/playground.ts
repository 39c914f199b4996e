/** The playground of the console: models, dry run, run. */

import type { FastifyRequest } from 'fastify';
import {
  consoleModelSchema,
  modelLineListSchema,
  runSchema,
  runValidationSchema,
} from '../../answers/admin/model.ts';
import { describe, summarizeModel } from '../../catalog/describe.ts';
import { estimateUsage } from '../../catalog/estimate-usage.ts';
import type { Model } from '../../catalog/model.ts';
import { refuseModel } from '../../catalog/refuse-model.ts';
import { days } from '../../domain/clock.ts';
import type { Principal } from '../../domain/key.ts';
import { mountNames } from '../../domain/mounts.ts';
import { estimateCost, type Prices, quoteBody } from '../../domain/prices.ts';
import { refuse } from '../../domain/refusal.ts';
import { measureDurations } from '../../store/attempts/usage-report.ts';
import { writeAudit } from '../../store/people/audit.ts';
import { readConsolePrincipal } from '../../store/people/keys.ts';
import type { HttpContext } from '../http-context.ts';
import { inputRefusals } from '../refusals-of-route.ts';
import { pathValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';

/** The models for the playground, with run times and prices. */
export const listModelsForConsole: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/models',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Every model.', body: modelLineListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => {
    const [now, prices] = [context.clock.now(), context.prices()];
    const timed = await measureDurations(context.db, {
      from: now - runTimeWindowMs,
      to: now + 1,
      by: 'model',
    });
    const data = context.servedModels().all.map(model => ({
      ...summaryForConsole(model),
      run_ms: timed.find(({ name }) => name === model.id)?.runMs ?? null,
      price: prices?.models.get(model.id)?.map(({ when, units }) => ({ when, units })) ?? null,
      currency: prices?.currency ?? null,
      example_cost: exampleCost(model, prices),
    }));
    return { object: 'list', data, has_more: false };
  },
};

/** The period that run times are measured over. */
const runTimeWindowMs = 7 * days;

/** The summary, with the kinds of media that the input accepts: where a result can be used again. */
const summaryForConsole = (model: Model) => ({
  ...summarizeModel(model),
  takes: inputKindsOf(model),
  uses: model.uses,
});

/** What the first example would cost, as far as that is known before it runs; null without a price. */
function exampleCost(model: Model, prices: Prices | null) {
  const parsed = model.parse(model.examples[0]);
  if (!parsed.ok) return null;
  return estimateCost(prices, model.id, estimateUsage(model, parsed.input), parsed.input);
}

/** Contract 2.10: the picture of a watermark. Nothing is made from it. */
const markField = 'wm_url';

/** Kinds of media that a result can be made from, by the published schema; `job`: a picture by its job. */
function inputKindsOf(model: Model): readonly string[] {
  const found = new Set<string>();
  // A replacer visits every member of the schema, whatever its depth.
  JSON.stringify(describe(model).input_schema, (name, value: unknown) => {
    if (name === 'widget' && value === 'job') found.add('job');
    if (typeof value !== 'object' || value === null) return value;
    // A mask says where to paint, and is no picture to start from.
    if (name === markField || Reflect.get(value, 'widget') === 'mask') return undefined;
    if (name === 'media') found.add(String(Reflect.get(value, 'kind')));
    return value;
  });
  return [...found];
}

/** Schema, hints, rules, limits and examples, of which a form is drawn; the mounts, for the code of a request. */
export const getModelForConsole: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/models/:modelId',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['model_unknown'],
  answers: {
    200: { description: 'The model.', body: consoleModelSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const modelId = pathValue(request, 'modelId');
    const model = context.servedModels().find(modelId);
    if (!model) throw refuseModel(context.servedModels(), modelId);
    const mounts = context.mounts();
    return { ...describe(model), mounts: mountNames.filter(name => mounts[name]) };
  },
};

/** Dry run: validates an input and estimates its cost; nothing is stored. */
export const validateFromConsole: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/models/:modelId/validate',
  auth: 'admin',
  role: 'developer',
  errors: 'detail',
  refusals: ['console_key_revoked', ...inputRefusals],
  answers: {
    200: { description: 'A run would be accepted.', body: runValidationSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const { billedJobs, input, quote } = await context.admission.validate(await creationOf(context, request));
    const [prices, model] = [context.prices(), context.servedModels().find(pathValue(request, 'modelId'))];
    const estimate = prices && model && estimateCost(prices, model.id, estimateUsage(model, input), input);
    return {
      object: 'validation',
      valid: true,
      billed_jobs: billedJobs,
      estimate,
      quote: quote && quoteBody(quote),
    };
  },
};

/** A run: a job of the console's key, in the audit under the name of the operator. */
export const runFromConsole: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/models/:modelId/run',
  auth: 'admin',
  role: 'developer',
  errors: 'detail',
  refusals: ['console_key_revoked', ...inputRefusals],
  answers: {
    200: { description: 'The job is stored.', body: runSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (operator, request) => {
    const creation = await creationOf(context, request);
    const { jobId, modelId, position, replayed } = await context.admission.admit(creation);
    const { db, clock } = context;
    // The same run repeated by the browser is one act.
    if (!replayed) {
      const details = { model: modelId, name: operator.name };
      await db.transaction(tx =>
        writeAudit(tx, {
          at: clock.now(),
          actor: operator.actor,
          action: 'job.run',
          subject: jobId,
          details,
        }),
      );
    }
    return { object: 'job', request_id: jobId, model: modelId, queue_position: position };
  },
};

/** The creation of a request, for the key of the console. */
const creationOf = async (context: HttpContext, request: FastifyRequest) => ({
  principal: await consolePrincipal(context),
  modelId: pathValue(request, 'modelId'),
  // Webhook parameters in the query are for clients; the console sends none.
  query: {},
  message: request.raw,
});

/** The principal of the console's runs and uploads, within the rate of its key. */
export async function consolePrincipal({ db, clock, takeFromRate }: HttpContext): Promise<Principal> {
  const principal = await readConsolePrincipal(db, clock.now());
  if (!principal) throw refuse('console_key_revoked');
  takeFromRate(principal.keyId);
  return principal;
}
