/** An upstream that is described in atelier.yaml alone: docs/providers/declarative.md. */

import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import { toJson } from '../../domain/json.ts';
import type {
  CancelResult,
  Pinned,
  PollResult,
  Provider,
  ProviderAttempt,
  ProviderTask,
  SubmitResult,
} from '../../domain/provider.ts';
import type { Usage } from '../../domain/usage.ts';
import { type BodyRoute, bodyInputFaults, bodyRouteOf } from '../kit/body-route.ts';
import { fillBody, fillPath, fillTemplate, placeholderValuesOf } from '../kit/body-template.ts';
import { defineProvider, type ProviderDependencies } from '../kit/definition.ts';
import {
  type ErrorTable,
  failureOf,
  pollAfter,
  readSubmission,
  type UpstreamError,
} from '../kit/error-table.ts';
import { type InlineResults, openInlineResults } from '../kit/inline-results.ts';
import { segmentsOf, textAt } from '../kit/json-path.ts';
import { invalidInputError, withoutDelivery } from '../kit/mapping.ts';
import {
  type EncodedInput,
  encodeMedia,
  encodingOf,
  inlineBytesPerMedium,
  modelOf,
  withUpstreamIds,
} from '../kit/media-encoding.ts';
import { isNotFound, providerDefaults, unreachable } from '../kit/poll.ts';
import { readSuccess } from '../kit/read-success.ts';
import {
  isSuccess,
  openUpstream,
  query,
  toOpenedProvider,
  type Upstream,
  type UpstreamReply,
} from '../kit/upstream.ts';
import { type DeclarativeAccount, declarativeAccount, headersOf, traitsOf } from './account.ts';
import { filesIn, usageIn } from './outputs.ts';

export default defineProvider({
  name: 'declarative',
  setup: null,
  settings: declarativeAccount,
  bodyRoutes: { of: 'all', members: ['path', 'media'] },
  open: (account, { catalog, linkTo, outbound, folder }) => {
    const { base_url: baseUrl, api_key: key } = account;
    const upstream = openUpstream({
      baseUrl,
      headers: headersOf(account),
      secrets: key === undefined ? [] : [key],
      authenticatesResults: true,
      outbound,
    });
    const results = openInlineResults({ folder });
    return toOpenedProvider(upstream, openDeclarative({ account, upstream, results, catalog, linkTo }));
  },
});

/** Of all media in one body. */
const maxInlineBytesInAll = 32 * 1024 * 1024;
/** Of an answer with results in it. */
const maxResultBytes = 256 * 1024 * 1024;
/** Characters of an unknown state that the reason repeats. */
const maxStateLength = 60;

/** An id that does not change the path it is written into. */
const idSchema = z.string().regex(/^(?!\.{1,2}$).{1,500}$/);
/** What later calls need to know of a job: the ref, as read back from the database. */
const refSchema = z.object({ id: idSchema });

/** A call about one job: poll, result and cancel have one form. */
type JobCall = DeclarativeAccount['poll'];

/** An opened account. */
interface DeclarativeContext extends Pick<ProviderDependencies, 'catalog' | 'linkTo'> {
  readonly account: DeclarativeAccount;
  readonly upstream: Upstream;
  readonly results: InlineResults;
}

/** The port of one account. */
function openDeclarative(context: DeclarativeContext): Provider {
  const traits = traitsOf(context.account);
  return {
    ...providerDefaults,
    name: 'declarative',
    traits: () => traits,
    submit: task => submitJob(context, task),
    poll: (attempt, ref) => pollJob(context, attempt, ref),
    cancel: (attempt, ref) => cancelJob(context, attempt, ref),
    release: ({ dedupeKey }) => context.results.remove(dedupeKey),
  };
}

/** The one billable call for a job. */
async function submitJob(context: DeclarativeContext, task: ProviderTask): Promise<SubmitResult> {
  const { account, upstream } = context;
  const { submit, times, dedupe } = account;
  const route = bodyRouteOf(task.routeOptions);
  if (!route) throw new Error(`expected the route of ${task.modelId} to have a body`);
  const mapped = await bodyOf(task, route, { ...context, keyField: dedupe?.field });
  if (mapped.kind === 'refused') return mapped;
  const { path = submit.path } = route;
  const reply = await upstream.request({
    method: submit.method,
    path: fillPath(path, placeholderValuesOf(task)),
    body: toJson(mapped.body),
    ...(dedupe?.header !== undefined && { headers: { [dedupe.header]: task.dedupeKey } }),
    timeoutMs: times.submit_seconds * seconds,
    isBillable: true,
  });
  return readSubmission(reply, errorsIn(account, reply), ({ json }) => {
    const id = idSchema.safeParse(textAt(json, account.id)).data;
    const firstPollMs = times.first_poll_seconds * seconds;
    return id === undefined ? null : { kind: 'accepted', ref: { id }, firstPollMs };
  });
}

/** The state first; the results are in the same answer, or in that of a second call. */
async function pollJob(
  context: DeclarativeContext,
  attempt: ProviderAttempt,
  ref: unknown,
): Promise<PollResult> {
  const { account, results } = context;
  const hasInlineResults = account.outputs.some(({ form }) => form === 'base64');
  const reply = await callAbout(context, account.poll, attempt, ref, hasInlineResults && !account.result);
  const state = readState(account, reply);
  if (state.kind !== 'ended') return state;
  const answer = account.result
    ? await callAbout(context, account.result, attempt, ref, hasInlineResults)
    : reply;
  // HTML, or an answer that was cut, proves nothing about the results.
  if (!isSuccess(answer) || answer.json === undefined) return unreachable(answer);
  const { files, isWhole } = await filesIn(answer.json, account, { results, dedupeKey: attempt.dedupeKey });
  const production = { files, usage: state.usage };
  return readSuccess(answer, { production, isWhole }, errorsIn(account, answer));
}

/** An upstream without a described cancel is not called. */
async function cancelJob(
  context: DeclarativeContext,
  attempt: ProviderAttempt,
  ref: unknown,
): Promise<CancelResult> {
  const { account } = context;
  if (!account.cancel) return { kind: 'unsupported' };
  const reply = await callAbout(context, account.cancel, attempt, ref);
  if (reply.kind !== 'answered' || reply.status >= 500) return { kind: 'requested' };
  if (reply.status >= 300) return { kind: 'unsupported' };
  const isRefused = errorsIn(account, reply).read(reply.json, reply.headers) !== null;
  // Where it does not stop at once, the next polls show whether the cancel came in time.
  return { kind: account.cancel.stops && !isRefused ? 'cancelled' : 'requested' };
}

/** Sends a call about a job that is known there by its id. */
function callAbout(
  { account, upstream }: DeclarativeContext,
  { method, path, body }: JobCall,
  attempt: ProviderAttempt,
  ref: unknown,
  isLarge = false,
): Promise<UpstreamReply> {
  const values = { ...placeholderValuesOf(attempt), id: refSchema.parse(ref).id };
  return query(upstream, method, fillPath(path, values), {
    ...(body && { body: toJson(fillTemplate(body, values)) }),
    timeoutMs: account.times.ask_seconds * seconds,
    ...(isLarge && { maxAnswerBytes: maxResultBytes }),
  });
}

/** A filled body, or why an input cannot be sent. */
type Body =
  | { readonly kind: 'body'; readonly body: unknown }
  | Extract<EncodedInput, { readonly kind: 'refused' }>;

interface BodyContext extends Pick<ProviderDependencies, 'catalog' | 'linkTo'> {
  /** The member of the body that has the dedupe key; undefined where it is in none. */
  readonly keyField: string | undefined;
}

/** Faults of the route, then media, then the template: nothing is sent of an input that is refused. */
async function bodyOf(
  task: ProviderTask,
  route: BodyRoute,
  { catalog, linkTo, keyField }: BodyContext,
): Promise<Body> {
  const { media } = route;
  const model = modelOf(catalog, task);
  const faults = bodyInputFaults(model, task.job.input, route);
  if (faults.length > 0) return { kind: 'refused', error: invalidInputError(faults) };
  const encoded = await encodeMedia(model, task, {
    linkTo,
    encoding: facts => encodingOf(media, facts),
    maxInlineBytes: inlineBytesPerMedium(task, maxInlineBytesInAll),
  });
  if (encoded.kind === 'refused') return encoded;
  const input = withoutDelivery(model, withUpstreamIds(model, task, encoded.input, upstreamIdOf));
  const filled = fillBody(route, task, input);
  const steps = keyField === undefined ? [] : segmentsOf(keyField).map(String);
  return { kind: 'body', body: withMember(filled, steps, task.dedupeKey) };
}

/** The upstream's id of an earlier job, or of the file of it that is meant. */
const upstreamIdOf = ({ upstreamId, ref }: Pinned): string | null =>
  upstreamId ?? refSchema.safeParse(ref).data?.id ?? null;

/** A copy with one more member, however deep; objects on the way are created. */
function withMember(value: unknown, [name, ...rest]: readonly string[], member: string): unknown {
  if (name === undefined) return value;
  const known = typeof value === 'object' && value !== null ? value : {};
  const below = rest.length > 0 ? withMember(Reflect.get(known, name), rest, member) : member;
  return { ...known, [name]: below };
}

/** The errors of an answer. A sentence alone is no error where the status is good: it may say `success`. */
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

/** `ended` is a success whose results are still to be read. */
type DeclarativeState = PollResult | { readonly kind: 'ended'; readonly usage: readonly Usage[] };

/** By the description's words. A good answer in a state that it does not name is no state. */
function readState(account: DeclarativeAccount, reply: UpstreamReply): DeclarativeState {
  if (isNotFound(reply)) return { kind: 'missing' };
  if (!isSuccess(reply)) return unreachable(reply);
  const { at, words } = account.state;
  const usage = usageIn(account, reply.json);
  const word = textAt(reply.json, at) ?? '';
  switch (new Map(Object.entries(words)).get(word)) {
    case 'running':
      return { kind: 'running', ...pollAfter(reply) };
    case 'succeeded':
      return { kind: 'ended', usage };
    case 'failed': {
      const error = failureOf(failureIn(account, reply.json), errorsIn(account, reply));
      return { kind: 'failed', error, usage };
    }
    case 'cancelled':
      return { kind: 'cancelled' };
    case undefined:
      // A state that the description does not name does not end a job: it is polled again.
      return unreachable(reply, `the upstream says ${word.slice(0, maxStateLength) || 'no state'}`);
  }
}

/** Where a failed job has its reason, which may be another place than that of refused calls. */
function failureIn({ error, failure = error }: DeclarativeAccount, json: unknown): UpstreamError {
  const code = textAt(json, failure.code);
  const isCode = code !== null && code !== '' && !error.fine.includes(code);
  return { code: isCode ? code : null, message: textAt(json, failure.message) ?? '' };
}
