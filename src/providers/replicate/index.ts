/** Predictions of Replicate: docs/providers/replicate.md. */

import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { seconds } from '../../domain/clock.ts';
import { parseFileId } from '../../domain/ids.ts';
import type { PollResult, Provider, ProviderTask, ProviderTraits } from '../../domain/provider.ts';
import type { Usage } from '../../domain/usage.ts';
import { callbacksSetting, withCallbackFlag } from '../kit/callback-flag.ts';
import { declaredFiles, declaredOutputsIn, type FoundFiles } from '../kit/declared-files.ts';
import type { DeclaredOutput } from '../kit/declared-outputs.ts';
import { defineProvider } from '../kit/definition.ts';
import { type ErrorTable, failureOf, pollAfter } from '../kit/error-table.ts';
import { mappingFaults } from '../kit/mapping.ts';
import { renameMedia } from '../kit/media-encoding.ts';
import { idOf, isNotFound, providerDefaults, readPoll } from '../kit/poll.ts';
import { fileAt, lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import { secretField } from '../kit/setup.ts';
import { readAcceptance, submitMapped } from '../kit/submit.ts';
import { runAccountTest, runRouteTest } from '../kit/test-account.ts';
import { uploadEach } from '../kit/upload.ts';
import {
  baseUrlWithDefault,
  isSuccess,
  newForm,
  openUpstream,
  query,
  readJson,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { isWebhookSecret, verifyWebhookSignature } from '../kit/webhook-signature.ts';
import { replicateMappings, replicateModels } from './models.ts';

export default defineProvider({
  name: 'replicate',
  setup: {
    trial: { model: 'delta-speech-02-hd', cost: 'less than a cent: one short sentence' },
    fields: [secretField({ where: 'replicate.com → Account → API tokens', example: 'REPLICATE_API_TOKEN' })],
  },
  settings: secret =>
    z.strictObject({
      api_key: secret,
      base_url: baseUrlWithDefault('https://api.replicate.com/v1'),
      callbacks: callbacksSetting,
      /** Verifies its webhooks; absent: their secret path is enough. */
      webhook_secret: secret.refine(isWebhookSecret, { error: 'must be whsec_ and base64' }).optional(),
    }),
  models: replicateModels,
  bodyRoutes: { of: 'custom', members: ['outputs'] },
  faults: (model, input) => mappingFaults(replicateMappings, model, input),
  verifySignature: ({ webhook_secret: signedBy }, call) =>
    signedBy === undefined || verifyWebhookSignature(signedBy, call),
  open: ({ api_key: key, base_url: baseUrl, callbacks }, { catalog, outbound }) => {
    const upstream = openUpstream({
      baseUrl,
      headers: { authorization: `Bearer ${key}` },
      secrets: [key],
      outbound,
    });
    return toOpenedProvider(upstream, openReplicate(upstream, callbacks, catalog));
  },
});

/** Timeout of a submission. */
const submitTimeoutMs = 30 * seconds;
/** When to poll first, after a submission. */
const firstPollMs = 2 * seconds;

/** What the upstream guarantees for repeated calls, and the timing of calls. */
const traits: ProviderTraits = {
  // Its list names neither a key of ours nor, reliably, the address of the webhook.
  dedupe: 'none',
  dedupeWindowMs: 0,
  submitTimeoutMs,
  billable: true,
  minPollMs: 1 * seconds,
};

/** A prediction, as every call about it answers. */
const prediction = z.object({
  id: z.string().regex(/^[a-z0-9]{1,64}$/i),
  status: z.enum(['starting', 'processing', 'succeeded', 'failed', 'canceled', 'aborted']),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
  metrics: lenient(z.object({ predict_time: lenient(z.number().nonnegative()) })),
});
/** The answer to an upload. */
const uploaded = z.object({ urls: z.object({ get: z.url() }) });
/** A reference of the input → the address of its upload: what `prepare` returned, as read back from the database. */
const uploadsSchema = z.record(z.string(), z.string()).default({});
/** The body of an error. */
const problem = z.object({ detail: lenient(z.string()), title: lenient(z.string()) });

/** What the upstream's error codes and statuses mean, by its documentation. */
const errors: ErrorTable = {
  read(json) {
    const error = problem.safeParse(json).data;
    const message = error?.detail ?? error?.title;
    return message === undefined ? null : { code: null, message };
  },
  codes: { E005: 'moderation', E006: 'input' },
  // The model is the operator's choice, not the client's.
  statuses: { 404: 'account' },
};

/** The port of one account. */
function openReplicate(upstream: Upstream, takesCallbacks: boolean, catalog: Catalog): Provider {
  const accountTraits = { ...traits, takesCallbacks };
  const pathOf = (ref: unknown) => `/predictions/${encodeURIComponent(idOf(ref))}`;

  return {
    ...providerDefaults,
    name: 'replicate',
    traits: () => accountTraits,
    test: () => runAccountTest(upstream, { path: '/account', errors }),
    testRoute: ({ upstreamModel: model }) =>
      runRouteTest(upstream, { path: pathOfModel(model), errors, model }),

    /** Uploads stored files; addresses elsewhere are sent as they are. */
    prepare: (task, signal) =>
      uploadEach(upstream, uploadsOf(task), { path: '/files', errors, nameIn }, signal),

    submit: (task, prepared) =>
      submitMapped(task, {
        upstream,
        catalog,
        mappings: replicateMappings,
        bodyOf: body => body,
        encode: model => ({
          kind: 'encoded',
          input: renameMedia(model, task.job.input, uploadsSchema.parse(prepared)),
        }),
        callOf: ({ body }) => callOf(task, body),
        timeoutMs: submitTimeoutMs,
        read: (reply, submission) => readAcceptance(reply, submission, { errors, firstPollMs, refIn }),
      }),

    poll: async (_, ref) =>
      withCallbackFlag(ref, readPrediction(await query(upstream, 'GET', pathOf(ref)), ref)),

    async cancel(_, ref) {
      const reply = await query(upstream, 'POST', `${pathOf(ref)}/cancel`);
      // The next polls show whether it came in time.
      return { kind: isNotFound(reply) ? 'unsupported' : 'requested' };
    },
  };
}

/** The media of a job that have to be uploaded. */
const uploadsOf = ({ media }: ProviderTask) =>
  Object.entries(media)
    .filter(([reference]) => parseFileId(reference))
    .map(([reference, path]) => ({
      reference,
      form: async () => {
        const body = newForm();
        body.append('content', await openAsBlob(path), basename(path));
        return body;
      },
    }));

/** What the upstream calls an uploaded file. */
const nameIn = (reply: UpstreamReply): string | undefined =>
  isSuccess(reply) ? uploaded.safeParse(reply.json).data?.urls.get : undefined;

/** The ref of an accepted submission; undefined where the answer names no job. */
function refIn(json: unknown) {
  const created = prediction.safeParse(json).data;
  return created && { id: created.id };
}

/** Where a model, or one version of it, is described. */
const pathOfModel = (upstreamModel: string): string => `/models/${upstreamModel.replace(':', '/versions/')}`;

/** `owner/name` runs the newest version, `owner/name:version` that one. */
function callOf({ upstreamModel, callbackUrl: webhook }: ProviderTask, input: unknown) {
  const [model = '', version] = upstreamModel.split(':');
  const notify = webhook === null ? {} : { webhook, webhook_events_filter: ['completed'] };
  return version === undefined
    ? { path: `/models/${model}/predictions`, body: { input, ...notify } }
    : { path: '/predictions', body: { version, input, ...notify } };
}

type Prediction = z.output<typeof prediction>;

/** Reads the answer to a poll. */
const readPrediction = (reply: UpstreamReply, ref: unknown): PollResult =>
  readPoll(reply, {
    stateIn(answer) {
      const found = readJson(answer, prediction);
      return found?.id === idOf(ref) ? found : undefined;
    },
    resultOf: (found, answer) => resultOf(found, answer, declaredOutputsIn(ref)),
  });

/** What each state of the upstream means for the job. */
function resultOf(
  found: Prediction,
  answer: UpstreamReply,
  outputs: readonly DeclaredOutput[] | undefined,
): PollResult {
  switch (found.status) {
    case 'starting':
    case 'processing':
      return { kind: 'running', ...pollAfter(answer) };
    case 'canceled':
    case 'aborted':
      return { kind: 'cancelled' };
    case 'failed': {
      const message = typeof found.error === 'string' ? found.error : '';
      const error = failureOf({ code: codeIn(message), message }, errors);
      return { kind: 'failed', error, usage: usageOf(found) };
    }
    case 'succeeded': {
      const { files, isWhole } = outputs ? declaredFiles(found, outputs) : filesOf(found);
      return readSuccess(answer, { production: { files, usage: usageOf(found) }, isWhole }, errors);
    }
  }
}

/** The output is an address or a list of them. */
function filesOf({ output }: Prediction): FoundFiles {
  const { items, isWhole } = readResults(output, resultUrl);
  return { files: items.map((url, index) => fileAt(url, { index })), isWhole };
}

/** The code of the platform in a sentence, such as `(E005)`; null for an error of the model. */
const codeIn = (message: string): string | null => /\bE\d{3,4}\b/.exec(message)?.[0] ?? null;

/** The usage that the upstream reports. */
function usageOf({ metrics }: Prediction): readonly Usage[] {
  const quantity = metrics?.predict_time;
  return quantity === undefined ? [] : [{ unit: 'gpu_second', quantity, basis: 'reported' }];
}
