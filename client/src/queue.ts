/** Creates, reads and cancels jobs of one model. */

import type {
  AnyResult,
  FailedResult,
  JobHandle,
  JobStatus,
  ListedJob,
  Page,
  UnfinishedStatus,
} from './bodies.ts';
import type { CustomModels } from './custom-models.ts';
import { NotReadyError } from './errors.ts';
import type { CallOptions, Exchange } from './exchange.ts';
import type { ModelMap } from './generated/model-map.ts';
import { queryText } from './query-text.ts';
import { refuseWebhook } from './refuse-webhook.ts';
import type { StatusOptions } from './watch-job.ts';
import { type Poll, type WatchOptions, watchJob } from './watch-job.ts';

export type { Poll, WatchOptions };

/** A model of the catalog, one of the operator's whose types are in the project, or any other that the gateway serves. */
export type ModelId = keyof ModelMap | keyof CustomModels | (string & {});
/** The input of a model. */
export type InputOf<Id extends ModelId> = Id extends keyof ModelMap
  ? ModelMap[Id]['input']
  : Id extends keyof CustomModels
    ? CustomModels[Id] extends { readonly input: infer Input }
      ? Input
      : never
    : Readonly<Record<string, unknown>>;
/** The result of a job that succeeded. */
export type ResultOf<Id extends ModelId> = Id extends keyof ModelMap
  ? ModelMap[Id]['output']
  : Id extends keyof CustomModels
    ? CustomModels[Id] extends { readonly output: infer Output }
      ? Output
      : never
    : AnyResult;

/** Which job: the handle of a creation will do. */
export interface JobRef<Id extends ModelId = ModelId> {
  readonly model: Id;
  readonly request_id: string;
}

/** The input of a job, and options of its creation. */
export interface SubmitOptions<Id extends ModelId> extends CallOptions {
  readonly input: InputOf<Id>;
  /** The same key with the same input is the same job, for 24 hours; a new one unless given. */
  readonly idempotencyKey?: string;
  /** A deadline of the job itself, as `90s`, `5m` or seconds; after it the job ends as `expired`. */
  readonly cancelAfter?: string | number;
}

/** Filters and the page of a list of jobs of one model. */
export interface ListOptions extends CallOptions {
  readonly externalTaskId?: string | undefined;
  readonly status?: JobStatus['status'] | undefined;
  /** Default: 20; at most 100. */
  readonly limit?: number | undefined;
  /** The `last_id` of the page before. */
  readonly after?: string | undefined;
}

/** A job by its handle, or by its model and its id. */
export type Named<Id extends ModelId, Options> =
  | readonly [job: JobRef<Id>, options?: Options]
  | readonly [model: Id, requestId: string, options?: Options];

/** Jobs of one model: creation, status, result, cancel. */
export interface Queue {
  /** Creates a job. A retry after a lost answer returns the same job: nothing is made twice. */
  submit<Id extends ModelId>(model: Id, options: SubmitOptions<Id>): Promise<JobHandle<Id>>;
  status<Id extends ModelId>(...job: Named<Id, StatusOptions>): Promise<JobStatus>;
  /** The result of a job; `error` is set where it failed. Throws a NotReadyError until the job ends. */
  result<Id extends ModelId>(...job: Named<Id, CallOptions>): Promise<ResultOf<Id> | FailedResult>;
  /** `requested`: a queued job is cancelled, a running one was requested to stop. */
  cancel<Id extends ModelId>(...job: Named<Id, CallOptions>): Promise<'requested' | 'already_completed'>;
  /** Every change of the job's status until it is COMPLETED, the current one first. */
  watch<Id extends ModelId>(...job: Named<Id, WatchOptions>): AsyncIterable<JobStatus>;
  /** The user's jobs of a model, the newest first. */
  list(model: ModelId, options?: ListOptions): Promise<Page<ListedJob>>;
}

/** Calls about jobs of one model. */
export function openQueue(ask: Exchange): Queue {
  const queue: Queue = {
    async submit(model, { input, idempotencyKey = newKey(), cancelAfter, signal }) {
      refuseWebhook(input);
      const { body } = await ask({
        method: 'POST',
        path: pathOf(model),
        headers: {
          'idempotency-key': idempotencyKey,
          ...(cancelAfter !== undefined && { 'cancel-after': String(cancelAfter) }),
        },
        body: input,
        repeatable: 'keyed',
        signal,
      });
      return { ...(body as Omit<JobHandle, 'model'>), model };
    },
    async status(...named) {
      const { job, options } = readNamed(named);
      return (await readStatus(ask, job, options)).status;
    },
    async result<Id extends ModelId>(...named: Named<Id, CallOptions>) {
      const { job, options } = readNamed(named);
      const path = `${pathOfJob(job)}/response`;
      const { status, body } = await ask({ method: 'GET', path, repeatable: 'read', signal: options.signal });
      if (status === 202) throw new NotReadyError(body as UnfinishedStatus);
      return body as ResultOf<Id> | FailedResult;
    },
    async cancel(...named) {
      const { job, options } = readNamed(named);
      const path = `${pathOfJob(job)}/cancel`;
      const { status } = await ask({
        method: 'PUT',
        path,
        repeatable: 'keyed',
        alsoGood: [400],
        signal: options.signal,
      });
      return status === 400 ? 'already_completed' : 'requested';
    },
    watch(...named) {
      const { job, options } = readNamed(named);
      return watchJob(wanted => readStatus(ask, job, wanted), options);
    },
    async list(model, { externalTaskId, signal, ...filters } = {}) {
      const path = `${pathOf(model)}/requests${queryText({ external_task_id: externalTaskId, ...filters })}`;
      const page = (await ask({ method: 'GET', path, repeatable: 'read', signal })).body as Page<JobStatus>;
      return { ...page, data: page.data.map(job => ({ ...job, model })) };
    },
  };
  return queue;
}

/** The queue of one model, and one job in it. */
const pathOf = (model: string): string => `/v1/queue/${encodeURIComponent(model)}`;
const pathOfJob = ({ model, request_id }: JobRef): string =>
  `${pathOf(model)}/requests/${encodeURIComponent(request_id)}`;

/** The job and the options of a call, in either form. */
function readNamed<Id extends ModelId, Options extends object>(
  named: Named<Id, Options>,
): { readonly job: JobRef<Id>; readonly options: Partial<Options> } {
  const [first, second, third] = named;
  return typeof second === 'string'
    ? { job: { model: first as Id, request_id: second }, options: third ?? {} }
    : { job: first as JobRef<Id>, options: second ?? {} };
}

/** The status of a job, with the headers of the answer. */
async function readStatus(ask: Exchange, job: JobRef, { logs, waitSeconds, signal }: StatusOptions) {
  const { headers, body } = await ask({
    method: 'GET',
    path: `${pathOfJob(job)}/status${logs ? '?logs=1' : ''}`,
    ...(waitSeconds !== undefined && { headers: { prefer: `wait=${waitSeconds}` } }),
    repeatable: 'read',
    signal,
  });
  return { status: body as JobStatus, headers };
}

/** Without `crypto.randomUUID`, which pages that are not served by https lack. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');
