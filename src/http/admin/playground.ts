import type { FastifyRequest } from 'fastify';
import { describe, summarizeModel } from '../../catalog/describe.ts';
import { estimateUsage } from '../../catalog/estimate-usage.ts';
import type { Model } from '../../catalog/model.ts';
import { refuseModel } from '../../catalog/refuse-model.ts';
import { days } from '../../domain/clock.ts';
import type { Principal } from '../../domain/key.ts';
import { costOf } from '../../domain/prices.ts';
import { refuse } from '../../domain/refusal.ts';
import { measureDurations } from '../../store/attempts/usage-report.ts';
import { writeAudit } from '../../store/people/audit.ts';
import { readConsolePrincipal } from '../../store/people/keys.ts';
import { type HttpContext, pathValue, type Route } from '../route.ts';
import { identifyOperator } from './identify-operator.ts';

/** The models as the API tells of them, without a key. */
export const listModelsForConsole = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/models',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    const [now, prices] = [parts.clock.now(), parts.prices()];
    const timed = await measureDurations(parts.db, { from: now - runTimeWindowMs, to: now + 1, by: 'model' });
    const data = parts.servedModels().all.map(model => ({
      ...summaryForConsole(model),
      run_ms: timed.find(({ name }) => name === model.id)?.runMs ?? null,
      price: prices?.models.get(model.id) ?? null,
      currency: prices?.currency ?? null,
    }));
    return { object: 'list', data, has_more: false };
  },
});

/** How long runs take of late. */
const runTimeWindowMs = 7 * days;

/** Beside the summary the kinds of media that an input has a place for: where a result may go on. */
const summaryForConsole = (model: Model) => ({ ...summarizeModel(model), takes: mediaKindsOf(model) });

function mediaKindsOf(model: Model): readonly string[] {
  const found = new Set<string>();
  JSON.stringify(describe(model).input_schema, (name, value: unknown) => {
    if (name === 'media' && typeof value === 'object' && value !== null)
      found.add(String(Reflect.get(value, 'kind')));
    return value;
  });
  return [...found];
}

/** Schema, hints, rules, limits and examples: what a form is drawn from. */
export const getModelForConsole = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/models/:modelId',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    const modelId = pathValue(request, 'modelId');
    const model = parts.servedModels().find(modelId);
    if (!model) throw refuseModel(parts.servedModels(), modelId);
    return describe(model);
  },
});

/** The verdict of a run, nothing stored. */
export const validateFromConsole = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/admin/v1/models/:modelId/validate',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request, 'developer');
    const { billedJobs, input } = await parts.admission.validate(await creationOf(parts, request));
    const [prices, model] = [parts.prices(), parts.servedModels().find(pathValue(request, 'modelId'))];
    const estimate = prices && model && costOf(prices, model.id, estimateUsage(model, input));
    return { object: 'validation', valid: true, billed_jobs: billedJobs, estimate };
  },
});

/** A run: a job of the console's own key, in the audit under the name of whoever began it. */
export const runFromConsole = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/admin/v1/models/:modelId/run',
  errors: 'detail',
  async handle(request) {
    const operator = await identifyOperator(parts, request, 'developer');
    const creation = await creationOf(parts, request);
    const { jobId, modelId, position, replayed } = await parts.admission.admit(creation);
    const { db, clock } = parts;
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
});

const creationOf = async (parts: HttpContext, request: FastifyRequest) => ({
  principal: await consolePrincipal(parts),
  modelId: pathValue(request, 'modelId'),
  query: {},
  message: request.raw,
});

/** Who everything that the console runs and uploads belongs to; within the rate of a key. */
export async function consolePrincipal({ db, clock, takeFromRate }: HttpContext): Promise<Principal> {
  const principal = await readConsolePrincipal(db, clock.now());
  if (!principal) throw refuse('console_key_revoked');
  takeFromRate(principal.keyId);
  return principal;
}
