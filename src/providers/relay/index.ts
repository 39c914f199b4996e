/** Another gateway that speaks this same contract (Contract 2 to 4): docs/providers/relay.md. */

import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { days, hours, seconds } from '../../domain/clock.ts';
import { parseFileId } from '../../domain/ids.ts';
import { toJson } from '../../domain/json.ts';
import type {
  Pinned,
  PollResult,
  Provider,
  ProviderAttempt,
  ProviderTask,
  ProviderTraits,
  RecoverResult,
  SubmitResult,
} from '../../domain/provider.ts';
import { defineProvider } from '../kit/definition.ts';
import { type ErrorTable, pollAfter, readSubmission } from '../kit/error-table.ts';
import { memberAt, readList, readLookup } from '../kit/lookup.ts';
import { modelOf, renameMedia, withDraftOnly, withUpstreamIds } from '../kit/media-encoding.ts';
import { idOf, providerDefaults, readPoll } from '../kit/poll.ts';
import { lenient } from '../kit/read-success.ts';
import { plainField, secretField } from '../kit/setup.ts';
import { type AccountTestCall, runAccountTest } from '../kit/test-account.ts';
import { type Upload, uploadEach } from '../kit/upload.ts';
import {
  baseUrlSchema,
  newForm,
  openUpstream,
  query,
  readJson,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { readResult } from './result.ts';

export default defineProvider({
  name: 'relay',
  setup: {
    fields: [
      plainField({
        name: 'base_url',
        title: 'Address of the gateway',
        where: 'its public address, without a path',
        example: 'https://gateway.example.com',
      }),
      secretField({ where: 'its operator: atelier keys create --user NAME', example: 'STUDIO_KEY' }),
    ],
  },
  settings: secret =>
    z.strictObject({
      base_url: baseUrlSchema(),
      api_key: secret,
      /**
       * What that gateway does for a creation whose answer was lost. `replay`: it honours Idempotency-Key.
       * `lookup`: its list of requests finds one by external_task_id. `none`: neither is known.
       */
      dedupe: z.enum(['replay', 'lookup', 'none']).default('none'),
      /** Whether inputs may name jobs of that gateway, or of its upstreams, that this gateway did not create. */
      foreign_ids: z.boolean().default(false),
    }),
  foreignKinds: ({ foreign_ids }) => (foreign_ids ? ['image', 'draft', 'video', 'asset'] : []),
  open: ({ base_url: baseUrl, api_key: key, dedupe }, { catalog, outbound }) => {
    const headers = { authorization: `Bearer ${key}` };
    const upstream = openUpstream({ baseUrl, headers, secrets: [key], outbound });
    return toOpenedProvider(upstream, openRelay({ upstream, dedupe, catalog }));
  },
});

/** Timeout of a submission. */
const submitTimeoutMs = 20 * seconds;
/** Another gateway answers a status from its database, so it may be polled each second. */
const minPollMs = 1 * seconds;
/** That gateway remembers a key for a day; one hour is left for a difference of clocks. */
const replayWindowMs = 23 * hours;
/** Its finished jobs are kept longer than any job of ours runs. */
const lookupWindowMs = 7 * days;

/** The part of an answer to a submission that names the job. */
const handle = z.object({ request_id: z.string().min(1).max(200) });
/** A job in a list that is filtered by our name for it, which not every gateway repeats. */
const listed = handle.extend({ external_task_id: lenient(z.string()) });
/** An id that no gateway assigns. */
const nonexistentRequestId = '00000000-0000-7000-8000-000000000000';
/** The status body of that gateway. */
const status = z.object({
  request_id: z.string(),
  status: z.enum(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']),
  progress: lenient(z.number().min(0).max(1)),
});
/** The answer to an upload. */
const upload = z.object({ id: z.string() });
/** Our file id → that gateway's: what `prepare` returned, as read back from the database. */
const uploadsSchema = z.record(z.string(), z.string()).default({});
/** An opened account. */
interface RelayContext {
  readonly upstream: Upstream;
  readonly catalog: Catalog;
  readonly dedupe: ProviderTraits['dedupe'];
}

/** The port of one account. */
function openRelay(context: RelayContext): Provider {
  const { upstream, catalog, dedupe } = context;
  const traits: ProviderTraits = {
    dedupe,
    dedupeWindowMs: dedupe === 'replay' ? replayWindowMs : lookupWindowMs,
    submitTimeoutMs,
    billable: true,
    minPollMs,
  };

  return {
    ...providerDefaults,
    name: 'relay',
    // Without external_task_id a job cannot be looked up.
    traits: modelId =>
      dedupe === 'lookup' && !catalog.find(modelId)?.takesExternalTaskId
        ? { ...traits, dedupe: 'none' }
        : traits,
    // A valid key gets the answer that there is no such request, and the call is free.
    test: () =>
      runAccountTest(upstream, {
        path: `/v1/queue/beta-edit/requests/${nonexistentRequestId}/status`,
        isAccepted: isRequestNotFound,
        errors,
      }),
    /** Uploads stored files to that gateway; addresses elsewhere are sent as they are. */
    prepare: (task, signal) =>
      uploadEach(upstream, uploadsOf(catalog, task), { path: '/v1/files', errors, nameIn }, signal),
    submit: (task, prepared) => submitRequest(context, task, prepared),
    recover: task => lookUpRequest(upstream, task),

    async poll(attempt, ref) {
      const id = idOf(ref);
      const result = readState(await query(upstream, 'GET', requestPath(attempt, ref, '/status')), id);
      if (result !== 'completed') return result;
      return readResult(await query(upstream, 'GET', requestPath(attempt, ref, '/response')), id, errors);
    },

    async cancel(attempt, ref) {
      const reply = await query(upstream, 'PUT', requestPath(attempt, ref, '/cancel'));
      if (reply.kind !== 'answered') return { kind: 'requested' };
      if (reply.status === 200) return { kind: 'cancelled' };
      // Requested, or ended before: the next polls show which.
      return reply.status === 202 || reply.status === 400 ? { kind: 'requested' } : { kind: 'unsupported' };
    },
  };
}

/** The queue of one model there. */
const queuePath = ({ upstreamModel }: ProviderAttempt): string =>
  `/v1/queue/${encodeURIComponent(upstreamModel)}`;

/** An address of one job there; `end` is the last part, with its slash. */
const requestPath = (attempt: ProviderAttempt, ref: unknown, end: string): string =>
  `${queuePath(attempt)}/requests/${encodeURIComponent(idOf(ref))}${end}`;

/** The media of a job that have to be uploaded. */
const uploadsOf = (catalog: Catalog, task: ProviderTask): readonly Upload[] =>
  modelOf(catalog, task)
    .media(task.job.input)
    .flatMap(({ value: reference }) => {
      const path = task.media[reference];
      if (!parseFileId(reference) || path === undefined) return [];
      const form = async () => {
        const body = newForm();
        body.append('file', await openAsBlob(path), basename(path));
        return body;
      };
      return [{ reference, form }];
    });

/** What the upstream calls an uploaded file. */
const nameIn = (reply: UpstreamReply): string | undefined => readJson(reply, upload)?.id;

/** The one billable call for a job. */
async function submitRequest(
  context: RelayContext,
  task: ProviderTask,
  prepared: unknown,
): Promise<SubmitResult> {
  const reply = await context.upstream.request({
    method: 'POST',
    path: queuePath(task),
    headers: context.dedupe === 'replay' ? { 'idempotency-key': task.dedupeKey } : {},
    body: toJson(bodyOf(context, task, prepared)),
    timeoutMs: submitTimeoutMs,
    isBillable: true,
  });
  return readSubmission(reply, errors, ({ json }) => {
    const created = handle.safeParse(json).data;
    return created ? { kind: 'accepted', ref: { id: created.request_id }, firstPollMs: minPollMs } : null;
  });
}

/** The body as the client sent it, in that gateway's names. Its callbacks and its task id are this gateway's. */
function bodyOf({ catalog, dedupe }: RelayContext, task: ProviderTask, prepared: unknown): unknown {
  const model = modelOf(catalog, task);
  const { input } = task.job;
  const externalTaskId = dedupe === 'lookup' && model.takesExternalTaskId ? task.dedupeKey : null;
  const renamed = renameMedia(model, input, uploadsSchema.parse(prepared));
  const named = withUpstreamIds(model, task, renamed, upstreamIdOf);
  const body = model.withDelivery(withDraftOnly(model, named), { externalTaskId });
  // Sound is fetched by address, whatever form our client wants.
  return model.inlineAudio(input) ? { ...body, output_format: 'url' } : body;
}

/** Looks for the request whose external_task_id is the key of an attempt. */
async function lookUpRequest(upstream: Upstream, task: ProviderTask): Promise<RecoverResult> {
  const filters = new URLSearchParams({ external_task_id: task.dedupeKey, limit: '1' });
  const reply = await query(upstream, 'GET', `${queuePath(task)}/requests?${filters}`);
  return readLookup(reply, {
    errors,
    read(json) {
      const found = readList(memberAt(json, 'data'), listed);
      const named = found?.items.find(
        ({ external_task_id: name = task.dedupeKey }) => name === task.dedupeKey,
      );
      if (named) return { id: named.request_id };
      // A list with jobs of other names was not filtered, and is only a page: it proves no absence.
      return found?.isWhole && found.items.length === 0 ? null : undefined;
    },
  });
}

/** A video is named by its own id there, everything else by its job. */
const upstreamIdOf = ({ ref, upstreamId }: Pinned, kind: 'image' | 'draft' | 'video'): string | null =>
  kind === 'video' ? upstreamId : idOf(ref);

/** An error body of the queue. */
const detail = z.object({ detail: z.string() });
/** Any other error body of a gateway. */
const gatewayError = z.object({ error: z.object({ message: z.string() }) });

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const message = detail.safeParse(json).data?.detail ?? gatewayError.safeParse(json).data?.error.message;
    return message === undefined ? null : { code: null, message };
  },
  codes: {},
  // Decisions 2: 503 is answered before anything is stored. Every other server error proves nothing.
  statuses: { 503: 'down' },
};

/** Contract 2: the answer to every valid key, in these words. */
const isRequestNotFound: NonNullable<AccountTestCall['isAccepted']> = ({ status, json }) =>
  status === 404 && detail.safeParse(json).data?.detail === 'Request not found';

/** Reads the answer to a poll. */
const readState = (reply: UpstreamReply, id: string): PollResult | 'completed' =>
  readPoll<z.output<typeof status>, 'completed'>(reply, {
    stateIn(answer) {
      const found = readJson(answer, status);
      return found?.request_id === id ? found : undefined;
    },
    resultOf({ status, progress }, answer) {
      if (status === 'COMPLETED') return 'completed';
      return { kind: 'running', ...pollAfter(answer), ...(progress !== undefined && { progress }) };
    },
  });
