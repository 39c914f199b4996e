import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import type { Usage } from '../../domain/job.ts';
import { toJson } from '../../domain/json.ts';
import type {
  CancelResult,
  Pinned,
  PollResult,
  ProducedFile,
  Provider,
  ProviderAttempt,
  ProviderTask,
} from '../../domain/provider.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import {
  type ErrorTable,
  failureOf,
  pollAfter,
  readSubmission,
  type UpstreamError,
} from '../kit/error-table.ts';
import { segmentsOf, textAt, valuesAt } from '../kit/json-path.ts';
import { invalidInputError, withoutDelivery } from '../kit/mapping.ts';
import { encodeMedia, inlineBytesPerMedium, modelOf, withUpstreamIds } from '../kit/media-encoding.ts';
import { openInlineResults } from '../kit/self-hosted.ts';
import { openUpstream, toOpenedProvider, type Upstream, type UpstreamReply } from '../kit/upstream.ts';
import { type DeclarativeAccount, declarativeAccount, headersOf, traitsOf } from './account.ts';
import { declarativeRouteOptions, encodingOf, inputFaults, routeFaults } from './route.ts';
import { fillPath, fillTemplate, type PlaceholderValues } from './template.ts';

/** docs/providers/declarative.md: an upstream of the common shape, described in atelier.yaml alone. */
export default defineProvider({
  name: 'declarative',
  settings: declarativeAccount,
  switches: declarativeRouteOptions,
  faults: (model, input, { options }) => inputFaults(model, input, options),
  routeFaults,
  open: (account, parts) => {
    const { base_url: baseUrl, api_key: key } = account;
    const upstream = openUpstream({
      baseUrl,
      headers: headersOf(account),
      secrets: key === undefined ? [] : [key],
      authenticatesResults: true,
      outbound: parts.outbound,
    });
    const provider = openDeclarative(account, upstream, parts);
    return toOpenedProvider(upstream, provider);
  },
});

/** Of all media of a body together. */
const maxInlineBytesInAll = 32 * 1024 * 1024;
/** An answer with results in it. */
const maxResultBytes = 256 * 1024 * 1024;
const maxStateLength = 60;

/** A name that is no step of a path. */
const idSchema = z.string().regex(/^(?!\.{1,2}$).{1,500}$/);
const refSchema = z.object({ id: idSchema });

type JobCall = DeclarativeAccount['poll'];

function openDeclarative(
  account: DeclarativeAccount,
  upstream: Upstream,
  parts: ProviderDependencies,
): Provider {
  const { submit, times, dedupe, outputs } = account;
  const traits = traitsOf(account);
  const results = openInlineResults(parts);
  const isInside = outputs.some(({ form }) => form === 'base64');

  return {
    name: 'declarative',
    traits: () => traits,
    ready: async () => ({ ok: true }),

    async submit(task) {
      const formed = await bodyOf(task, parts, dedupe?.field);
      if (formed.kind === 'refused') return formed;
      const { path = submit.path } = declarativeRouteOptions.parse(task.routeOptions);
      const reply = await upstream.request({
        method: submit.method,
        path: fillPath(path, placeholderValuesOf(task)),
        body: toJson(formed.body),
        ...(dedupe?.header !== undefined && { headers: { [dedupe.header]: task.dedupeKey } }),
        timeoutMs: traits.submitTimeoutMs,
        isBillable: true,
      });
      return readSubmission(reply, errorsIn(account, reply), ({ json }) => {
        const id = idSchema.safeParse(textAt(json, account.id)).data;
        const firstPollMs = times.first_poll_seconds * seconds;
        return id === undefined ? null : { kind: 'accepted', ref: { id }, firstPollMs };
      });
    },

    async poll(attempt, ref) {
      const reply = await ask(account.poll, attempt, ref, isInside && !account.result);
      const told = readState(account, reply);
      if (told.kind !== 'ended') return told;
      const made = account.result ? await ask(account.result, attempt, ref, isInside) : reply;
      // A page, or an answer that was cut, says nothing of what was made.
      if (!isSuccess(made) || made.json === undefined) return unreachable(made);
      const files = await filesIn(made.json, attempt);
      const { usage } = told;
      if (files.length > 0) return { kind: 'succeeded', production: { files, usage } };
      return { kind: 'failed', error: failureOf(noResult, errorsIn(account, made)), usage };
    },

    async cancel(attempt, ref): Promise<CancelResult> {
      if (!account.cancel) return { kind: 'unsupported' };
      const reply = await ask(account.cancel, attempt, ref);
      if (reply.kind !== 'answered' || reply.status >= 500) return { kind: 'requested' };
      if (reply.status >= 300) return { kind: 'unsupported' };
      const isRefused = errorsIn(account, reply).read(reply.json, reply.headers) !== null;
      // Where it does not stop at once, the next polls tell whether the cancel came in time.
      return { kind: account.cancel.stops && !isRefused ? 'cancelled' : 'requested' };
    },

    release: ({ dedupeKey }) => results.remove(dedupeKey),
  };

  function ask({ method, path, body }: JobCall, attempt: ProviderAttempt, ref: unknown, isLarge = false) {
    const given = { ...placeholderValuesOf(attempt), id: refSchema.parse(ref).id };
    return upstream.request({
      method,
      path: fillPath(path, given),
      ...(body && { body: toJson(fillTemplate(body, given)) }),
      timeoutMs: times.ask_seconds * seconds,
      ...(isLarge && { maxAnswerBytes: maxResultBytes }),
    });
  }

  /** Numbered within their role; what stands there as bytes is kept until it is collected. */
  async function filesIn(json: unknown, { dedupeKey }: ProviderAttempt): Promise<readonly ProducedFile[]> {
    const found = outputs.flatMap(output =>
      valuesAt(json, output.at)
        .filter(value => typeof value === 'string' && value !== '')
        .map(value => ({ ...output, value: String(value) })),
    );
    const inside = found.filter(({ form }) => form === 'base64');
    const contents = inside.map(({ value }) => bytesIn(value));
    const kept = contents.length > 0 ? await results.save(dedupeKey, contents) : [];
    const counts = new Map<string, number>();
    return found.flatMap(one => {
      const source = one.form === 'base64' ? kept[inside.indexOf(one)]?.source : addressIn(one.value);
      if (!source) return [];
      const index = counts.get(one.role) ?? 0;
      counts.set(one.role, index + 1);
      return [{ role: one.role, index, mimeType: one.mime, source }];
    });
  }

  /** Addresses may be written from the base on. */
  function addressIn(text: string): ProducedFile['source'] | null {
    const url = URL.parse(text, `${account.base_url}/`);
    return url && /^https?:$/.test(url.protocol) ? { kind: 'url', url: url.href } : null;
  }
}

/** A data URL or base64 alone. */
const bytesIn = (text: string): Buffer =>
  Buffer.from(text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text, 'base64');

const placeholderValuesOf = ({ upstreamModel, dedupeKey }: ProviderAttempt): PlaceholderValues => ({
  model: upstreamModel,
  key: dedupeKey,
});

type Body =
  | { readonly kind: 'body'; readonly body: unknown }
  | Extract<Awaited<ReturnType<typeof encodeMedia>>, { readonly kind: 'refused' }>;

async function bodyOf(
  task: ProviderTask,
  { catalog, linkTo }: Pick<ProviderDependencies, 'catalog' | 'linkTo'>,
  keyField: string | undefined,
): Promise<Body> {
  const { body, media, words } = declarativeRouteOptions.parse(task.routeOptions);
  const entry = modelOf(catalog, task);
  const faults = inputFaults(entry, task.job.input, task.routeOptions);
  if (faults.length > 0) return { kind: 'refused', error: invalidInputError(faults) };
  const formed = await encodeMedia(entry, task, {
    linkTo,
    encoding: facts => encodingOf(media, facts),
    maxInlineBytes: inlineBytesPerMedium(task, maxInlineBytesInAll),
  });
  if (formed.kind === 'refused') return formed;
  const input = withoutDelivery(entry, withUpstreamIds(entry, task, formed.input, upstreamIdOf));
  const filled = fillTemplate(body, { ...placeholderValuesOf(task), input, words });
  const steps = keyField === undefined ? [] : segmentsOf(keyField).map(String);
  return { kind: 'body', body: withMember(filled, steps, task.dedupeKey) };
}

/** What the upstream calls an earlier job, or the file of it that is meant. */
const upstreamIdOf = ({ upstreamId, ref }: Pinned): string | null =>
  upstreamId ?? refSchema.safeParse(ref).data?.id ?? null;

/** The same with one member more, however deep. */
function withMember(value: unknown, [name, ...rest]: readonly string[], member: string): unknown {
  if (name === undefined) return value;
  const known = typeof value === 'object' && value !== null ? value : {};
  const below = rest.length > 0 ? withMember(Reflect.get(known, name), rest, member) : member;
  return { ...known, [name]: below };
}

/** What was said of an error. A sentence alone is none where the status is good: it may say `success`. */
function errorsIn({ error }: DeclarativeAccount, reply: UpstreamReply): ErrorTable {
  return {
    read(json) {
      const code = textAt(json, error.code);
      const message = textAt(json, error.message) ?? '';
      if (code !== null && code !== '' && !error.fine.includes(code)) return { code, message };
      return message !== '' && !isSuccess(reply) ? { code: null, message } : null;
    },
    codes: error.codes,
    // The path and the model are the operator's choice.
    statuses: { 404: 'account', 405: 'account', ...error.statuses },
  };
}

type DeclarativeState = PollResult | { readonly kind: 'ended'; readonly usage: readonly Usage[] };

function readState(account: DeclarativeAccount, reply: UpstreamReply): DeclarativeState {
  if (reply.kind === 'answered' && reply.status === 404) return { kind: 'missing' };
  if (!isSuccess(reply)) return unreachable(reply);
  const { at, words } = account.state;
  const usage = usageIn(account, reply.json);
  const word = textAt(reply.json, at) ?? '';
  switch (new Map(Object.entries(words)).get(word)) {
    case 'running':
      return { kind: 'running', ...pollAfter(reply) };
    case 'succeeded':
      return { kind: 'ended', usage };
    case 'failed':
      return {
        kind: 'failed',
        error: failureOf(failureIn(account, reply.json), errorsIn(account, reply)),
        usage,
      };
    case 'cancelled':
      return { kind: 'cancelled' };
    case undefined:
      // A word that nobody wrote down is no end: it is asked again.
      return {
        ...unreachable(reply),
        reason: `the upstream says ${word.slice(0, maxStateLength) || 'no state'}`,
      };
  }
}

function failureIn({ error, failure = error }: DeclarativeAccount, json: unknown): UpstreamError {
  const code = textAt(json, failure.code);
  const isCode = code !== null && code !== '' && !error.fine.includes(code);
  return { code: isCode ? code : null, message: textAt(json, failure.message) ?? '' };
}

function usageIn({ usage }: DeclarativeAccount, json: unknown): readonly Usage[] {
  return usage.flatMap(({ unit, at }): readonly Usage[] => {
    const quantity = Number(valuesAt(json, at)[0] ?? Number.NaN);
    return Number.isFinite(quantity) && quantity >= 0 ? [{ unit, quantity, basis: 'reported' }] : [];
  });
}

const noResult: UpstreamError = { code: null, message: 'the upstream ended without a result' };

const isSuccess = (reply: UpstreamReply): reply is UpstreamReply & { readonly kind: 'answered' } =>
  reply.kind === 'answered' && reply.status >= 200 && reply.status < 300;

const unreachable = (reply: UpstreamReply): PollResult & { readonly kind: 'unreachable' } => ({
  kind: 'unreachable',
  reason: reply.kind === 'answered' ? `the upstream answered ${reply.status}` : reply.reason,
  ...pollAfter(reply),
});
