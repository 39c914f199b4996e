/** The submit skeleton: a validated input becomes the body of one billable call, and its answer a ref. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { Faults } from '../../catalog/faults.ts';
import type { Model } from '../../catalog/model.ts';
import { toJson } from '../../domain/json.ts';
import type { ProviderError, ProviderTask, SubmitResult } from '../../domain/provider.ts';
import { type BodyRoute, bodyInputFaults, bodyRouteOf } from './body-route.ts';
import { fillBody, fillPath, placeholderValuesOf } from './body-template.ts';
import { callbackFlag } from './callback-flag.ts';
import { type ErrorTable, readSubmission } from './error-table.ts';
import { invalidInputError, type Mapping, mappingOf, withoutDelivery } from './mapping.ts';
import { type EncodedInput, modelOf } from './media-encoding.ts';
import type { Upstream, UpstreamReply, UpstreamRequest } from './upstream.ts';

/** What a provider whose inputs are written by mappings states of its submission. */
export interface SubmitProtocol<Body> {
  readonly upstream: Upstream;
  readonly catalog: Catalog;
  /** By model id. */
  readonly mappings: Readonly<Record<string, Mapping<Body>>>;
  /** The body of a route that writes it itself (`body-route.ts`). Absent: there are no such routes. */
  readonly bodyOf?: (body: WrittenBody, route: BodyRoute) => Body;
  /** Writes media and references as the upstream reads them. Default: the input as it is. */
  readonly encode?: (model: Model, task: ProviderTask) => EncodedInput | Promise<EncodedInput>;
  /** What the upstream cannot take of an input. Default: what its mapping refuses. */
  readonly faults?: (model: Model, input: unknown, task: ProviderTask) => Faults;
  /** The call; its body is written as JSON. */
  readonly callOf: (submission: MappedSubmission<Body>) => SubmitCall;
  /** Longest time of the call. */
  readonly timeoutMs: number;
  readonly maxAnswerBytes?: number;
  /** Reads the answer; `readAcceptance` for one that names a job. */
  readonly read: (
    reply: UpstreamReply,
    submission: MappedSubmission<Body>,
  ) => SubmitResult | Promise<SubmitResult>;
}

/** A filled template: what a route with a body sends. */
export type WrittenBody = Readonly<Record<string, unknown>>;

/** A task with what its input became. */
export interface MappedSubmission<Body> {
  readonly task: ProviderTask;
  readonly model: Model;
  /** As the mapping read it: media encoded, without the client's callback address and task id. */
  readonly input: Readonly<Record<string, unknown>>;
  /** As the mapping wrote it. */
  readonly body: Body;
}

/** One billable POST. */
export interface SubmitCall extends Pick<UpstreamRequest, 'path' | 'headers'> {
  readonly body: unknown;
}

/** Encodes and maps the input of a task, sends it once, and reads the answer. */
export async function submitMapped<Body>(
  task: ProviderTask,
  protocol: SubmitProtocol<Body>,
): Promise<SubmitResult> {
  const route = bodyRouteOf(task.routeOptions);
  const mapped = await mapInput(task, protocol);
  if (mapped.kind === 'refused') return mapped;
  const { body, ...call } = protocol.callOf(mapped.submission);
  const { upstream, timeoutMs, maxAnswerBytes } = protocol;
  const reply = await upstream.request({
    method: 'POST',
    ...call,
    ...(route?.path !== undefined && { path: fillPath(route.path, placeholderValuesOf(task)) }),
    body: toJson(body),
    timeoutMs,
    ...(maxAnswerBytes !== undefined && { maxAnswerBytes }),
    isBillable: true,
  });
  return protocol.read(reply, mapped.submission);
}

/** A mapped input, or why it is refused. */
type MappedInput<Body> =
  | { readonly kind: 'mapped'; readonly submission: MappedSubmission<Body> }
  | { readonly kind: 'refused'; readonly error: ProviderError };

/** What is sent of a task, without sending it. Refused for an input that was admitted for another route, or before the settings changed. */
export function mapInput<Body>(task: ProviderTask, protocol: MapProtocol<Body>): Promise<MappedInput<Body>> {
  const route = bodyRouteOf(task.routeOptions);
  return route ? writeBody(task, route, protocol) : mapByModel(task, protocol);
}

/** The part of a submission that makes the body. */
type MapProtocol<Body> = Pick<SubmitProtocol<Body>, 'catalog' | 'mappings' | 'bodyOf' | 'encode' | 'faults'>;

/** By the mapping that the provider has for the model. */
async function mapByModel<Body>(
  task: ProviderTask,
  { catalog, mappings, encode, faults }: MapProtocol<Body>,
): Promise<MappedInput<Body>> {
  const model = modelOf(catalog, task);
  const mapping = mappingOf(mappings, task.modelId);
  const encoded = (await encode?.(model, task)) ?? { kind: 'encoded', input: task.job.input };
  if (encoded.kind === 'refused') return encoded;
  const input = withoutDelivery(model, encoded.input);
  const refused = faults?.(model, input, task) ?? [];
  const body = refused.length > 0 ? null : mapping.map(input);
  if (body === null) {
    const found = refused.length > 0 ? refused : mapping.faults(input);
    return { kind: 'refused', error: invalidInputError(found) };
  }
  return { kind: 'mapped', submission: { task, model, input, body } };
}

/** By a route with a body, which says itself what becomes of the input. */
async function writeBody<Body>(
  task: ProviderTask,
  route: BodyRoute,
  { catalog, encode, bodyOf }: MapProtocol<Body>,
): Promise<MappedInput<Body>> {
  if (!bodyOf) throw new Error(`expected a route of ${task.modelId} without a body`);
  const model = modelOf(catalog, task);
  const refused = bodyInputFaults(model, task.job.input, route);
  if (refused.length > 0) return { kind: 'refused', error: invalidInputError(refused) };
  const encoded = (await encode?.(model, task)) ?? { kind: 'encoded', input: task.job.input };
  if (encoded.kind === 'refused') return encoded;
  const input = withoutDelivery(model, encoded.input);
  const body = bodyOf(fillBody(route, task, input), route);
  return { kind: 'mapped', submission: { task, model, input, body } };
}

/** How an answer that names a job is read. */
export interface AcceptanceProtocol {
  readonly errors: ErrorTable;
  /** When to poll first, in ms after the answer. */
  readonly firstPollMs: number;
  /** What later calls need to know of the job, from a good answer; null or undefined where it names none. */
  readonly refIn: (json: unknown, reply: UpstreamReply) => object | null | undefined;
}

/**
 * Reads the answer to a submission: accepted with a ref, refused, or unknown. The ref keeps the callback flag, and the
 * outputs that the route declares.
 */
export const readAcceptance = (
  reply: UpstreamReply,
  { task }: { readonly task: Pick<ProviderTask, 'callbackUrl' | 'routeOptions'> },
  { errors, firstPollMs, refIn }: AcceptanceProtocol,
): SubmitResult =>
  readSubmission(reply, errors, answer => {
    const ref = refIn(answer.json, answer);
    const { outputs } = bodyRouteOf(task.routeOptions) ?? {};
    return ref
      ? { kind: 'accepted', ref: { ...ref, ...callbackFlag(task), ...(outputs && { outputs }) }, firstPollMs }
      : null;
  });
