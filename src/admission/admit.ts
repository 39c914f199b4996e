import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as breathe } from 'node:timers/promises';
import type { BodyReservation, MemoryBudget } from '../body/memory-budget.ts';
import { readJsonObject } from '../body/read-body.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { formatFaults } from '../catalog/faults.ts';
import type { Model } from '../catalog/model.ts';
import { refuseModel } from '../catalog/refuse-model.ts';
import type { Clock } from '../domain/clock.ts';
import { hours, seconds } from '../domain/clock.ts';
import { type JobId, newJobId } from '../domain/ids.ts';
import { toJson } from '../domain/json.ts';
import { mayUseModel, type Principal } from '../domain/key.ts';
import { refuse } from '../domain/refusal.ts';
import type { Tracing } from '../domain/tracing.ts';
import { chooseRoutes, commonForeignKinds, type RouteCandidate } from '../routing/choose-routes.ts';
import { availableTopic, type Connection } from '../store/db/connection.ts';
import { findByExternalTaskId, findReplay, type Idempotency, type Insertion } from '../store/jobs/insert.ts';
import type { QueuePositions } from '../store/jobs/queue-position.ts';
import { readJobSummary } from '../store/jobs/read.ts';
import type { BacklogLimit } from './backlog-limit.ts';
import { readCancelAfter } from './cancel-after.ts';
import type { MediaGate, ValidatedMedia } from './media-gate.ts';
import { quotaRefusal } from './quota.ts';
import { refusePrivateCallback } from './refuse-private-callback.ts';
import { refuseWebhooksInBody, refuseWebhooksOutsideBody } from './refuse-webhooks.ts';
import { senderOf } from './sender.ts';
import { type StorageQuota, storageRefusal } from './storage-quota.ts';
import { openStoreJob } from './store-job.ts';

/** A creation as it came in, after its sender is known. */
export interface CreateRequest {
  readonly principal: Principal;
  readonly modelId: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The raw request: its headers and its body. */
  readonly message: IncomingMessage;
}

export interface Admitted {
  readonly jobId: JobId;
  readonly modelId: string;
  readonly position: number;
  /** True when an earlier create under the same Idempotency-Key is answered again. */
  readonly replayed: boolean;
}

export interface Admission {
  /** Lets a request become a job; flushed when it resolves. Throws the refusal of the first gate that stays shut. */
  admit(request: CreateRequest): Promise<Admitted>;
  /** The same verdict, and nothing stored; with how many jobs would be billed, and the input as it was read. */
  validate(request: CreateRequest): Promise<{ readonly billedJobs: number; readonly input: unknown }>;
}

export interface AdmissionDependencies {
  readonly db: Connection;
  readonly clock: Clock;
  readonly tracing: Tracing;
  readonly positions: QueuePositions;
  readonly mediaGate: MediaGate;
  readonly memoryBudget: MemoryBudget;
  readonly backlog: BacklogLimit;
  readonly storage: StorageQuota;
  /** Those that are served; any other is as unknown as one that is not there. */
  readonly servedModels: () => Catalog;
  /** The routes of a model. */
  readonly candidatesOf: (model: Model) => readonly RouteCandidate[];
  /** The operator's word that callbacks may go to addresses of its own network. */
  readonly allowPrivateNetwork: boolean;
}

/** Decisions 2: of every job without a deadline of its own. */
const defaultDeadlineMs = 48 * hours;

export function openAdmission(parts: AdmissionDependencies): Admission {
  const { db, clock, positions, mediaGate, memoryBudget, backlog } = parts;
  const keepJob = openStoreJob(parts);

  /** The gates before the body. */
  function openGates({ modelId, principal, query, message }: CreateRequest): Model {
    const model = parts.servedModels().find(modelId);
    if (!model) throw refuseModel(parts.servedModels(), modelId);
    if (!mayUseModel(principal, model.id)) throw refuse('model_forbidden');
    refuseWebhooksOutsideBody(query, message.headers);
    return model;
  }

  /** The gates in the order of decisions 2; authentication and rate come before, storing after. */
  async function passGates({ model, request, reservation }: GatedRequest): Promise<ParsedRequest> {
    const { principal, message } = request;
    const tooLarge = () => refuse('body_too_large');
    const body = await readJsonObject(message, { maxBytes: model.maxBodyBytes, tooLarge, reservation });
    refuseWebhooksInBody(body, model.acceptsCallback);
    const { input, given } = parse(model, body);
    refusePrivateCallback(model, input, parts.allowPrivateNetwork);
    const cancelAfterMs = readCancelAfter(headerOf(message, 'cancel-after'));
    const idempotency = await idempotencyOf(message, body);
    const externalTaskId = model.externalTaskId(input);
    const { userId } = principal;
    const earlier = await findReplay(db, { userId, modelId: model.id, idempotency }, clock.now());
    return { model, input, given, cancelAfterMs, idempotency, externalTaskId, earlier };
  }

  /** The last two gates; a request whose Idempotency-Key was answered before never comes here. */
  async function passLastGates(request: CreateRequest, passed: ParsedRequest): Promise<RoutedRequest> {
    const { principal, message } = request;
    const { model, input, given, externalTaskId } = passed;
    const candidates = parts.candidatesOf(model);
    const media = await mediaGate.validate(model, input, {
      sender: senderOf(message, principal),
      takesForeign: commonForeignKinds(candidates),
      given,
    });
    try {
      const accounts = choose(candidates, input, media);
      const used = await findByExternalTaskId(db, { userId: principal.userId, externalTaskId });
      if (used) await answerEarlier(request, model, used);
      return { media, accounts };
    } catch (failure) {
      await media.drop();
      throw failure;
    }
  }

  /** Refused where no upstream takes all of it: nothing of an input is ever dropped. */
  function choose(
    candidates: readonly RouteCandidate[],
    input: unknown,
    { owned, isForeign }: ValidatedMedia,
  ): readonly string[] | null {
    const choice = chooseRoutes(candidates, input, owned);
    // A route that is added later may not understand what only these do.
    if (choice.kind === 'chosen')
      return choice.accounts ?? (isForeign ? candidates.map(({ account }) => account) : null);
    throw refuse('input_invalid', {
      subject: formatFaults(choice.faults),
      fields: choice.faults.map(fault => fault.path),
    });
  }

  /** From here on nothing is refused for what it says: only another job's key can still stand in the way. */
  async function store(
    request: CreateRequest,
    passed: ParsedRequest,
    { media, accounts }: RoutedRequest,
  ): Promise<Admitted> {
    const { userId, keyId } = request.principal;
    const { model, input } = passed;
    const now = clock.now();
    const id = newJobId(now);
    const deadlineMs = earlierOf(model.deadlineSeconds(input), passed.cancelAfterMs);
    const job = {
      id,
      userId,
      keyId,
      modelId: model.id,
      band: model.priority(input),
      createdAt: now,
      expiresAt: now + deadlineMs,
      externalTaskId: passed.externalTaskId,
      callbackUrl: model.callbackUrl(input),
      idempotency: passed.idempotency,
      accounts,
    };
    const insertion = await keepJob(request.principal, job, media).catch(async failure => {
      await media.drop();
      throw failure;
    });
    if (insertion.kind !== 'inserted') return answerEarlier(request, model, insertion);
    db.announce(availableTopic);
    // The job is kept: whatever fails from here on, the answer is its handle.
    const position = await positions.positionOf({ ...job, rank: insertion.rank }).catch(() => 0);
    return { jobId: id, modelId: model.id, position, replayed: false };
  }

  /** The handle of the job that this request already made, or the refusal of what stands in its way. */
  async function answerEarlier(
    { principal }: CreateRequest,
    model: Model,
    earlier: Insertion,
  ): Promise<Admitted> {
    switch (earlier.kind) {
      case 'replayed': {
        const { jobId } = earlier;
        const job = await readJobSummary(db, { jobId, userId: principal.userId, modelId: model.id });
        const position = job?.state === 'available' ? await positions.positionOf(job) : 0;
        return { jobId, modelId: model.id, position, replayed: true };
      }
      case 'idempotency_key_reused':
        throw refuse('idempotency_key_reused', { fields: ['Idempotency-Key'] });
      case 'external_task_id_used':
        throw refuse('external_task_id_used', { subject: earlier.jobId, fields: ['external_task_id'] });
      case 'jobs_at_once_used':
      case 'jobs_per_day_used':
        throw quotaRefusal(earlier, clock.now());
      case 'storage_used':
        throw storageRefusal('storage_of_key_used', earlier);
      case 'inserted':
        throw new Error('expected an earlier job, got a new one');
    }
  }

  function tellCreated({ message }: CreateRequest, { jobId, modelId }: Admitted, startedAt: number): void {
    parts.tracing.recordSpan({
      job: jobId,
      name: 'create',
      startedAt,
      endedAt: clock.now(),
      attributes: { 'atelier.model': modelId },
      traceparent: headerOf(message, 'traceparent'),
    });
  }

  return {
    async admit(request) {
      const receivedAt = clock.now();
      const model = openGates(request);
      // Whoever comes for the handle of a job that is there already takes no place.
      if (headerOf(request.message, 'idempotency-key') === undefined)
        await backlog.refuseWhenFull(request.principal.keyId);
      return memoryBudget.withReservation(request.principal.keyId, async reservation => {
        const passed = await passGates({ model, request, reservation });
        if (passed.earlier) return answerEarlier(request, model, passed.earlier);
        const admitted = await store(request, passed, await passLastGates(request, passed));
        if (!admitted.replayed) tellCreated(request, admitted, receivedAt);
        return admitted;
      });
    },
    async validate(request) {
      const model = openGates(request);
      return memoryBudget.withReservation(request.principal.keyId, async reservation => {
        const passed = await passGates({ model, request, reservation });
        if (passed.earlier) await answerEarlier(request, model, passed.earlier);
        else await (await passLastGates(request, passed)).media.drop();
        return { billedJobs: model.billedJobs(passed.input), input: passed.input };
      });
    },
  };
}

/** Decisions 8: of two deadlines the earlier wins. */
function earlierOf(ownSeconds: number | null, cancelAfterMs: number | null): number {
  if (ownSeconds === null) return cancelAfterMs ?? defaultDeadlineMs;
  return Math.min(ownSeconds * seconds, cancelAfterMs ?? Number.POSITIVE_INFINITY);
}

/** A request that passed the gates before its body. */
interface GatedRequest {
  readonly model: Model;
  readonly request: CreateRequest;
  readonly reservation: BodyReservation;
}

/** What a request is once every gate but the last two let it through. */
interface ParsedRequest {
  readonly model: Model;
  readonly input: unknown;
  /** The fields at the top that the client gave. */
  readonly given: readonly string[];
  readonly cancelAfterMs: number | null;
  readonly idempotency: Idempotency | null;
  readonly externalTaskId: string | null;
  /** What was made of this Idempotency-Key before. */
  readonly earlier: Insertion | null;
}

/** What the last gates found: the media, and the accounts that may take the job. */
interface RoutedRequest {
  readonly media: ValidatedMedia;
  readonly accounts: readonly string[] | null;
}

function parse(model: Model, body: unknown): Pick<ParsedRequest, 'input' | 'given'> {
  const parsed = model.parse(body);
  if (parsed.ok) return parsed;
  throw refuse('input_invalid', {
    subject: formatFaults(parsed.faults),
    fields: parsed.faults.map(fault => fault.path),
  });
}

async function idempotencyOf(message: IncomingMessage, body: unknown): Promise<Idempotency | null> {
  const key = headerOf(message, 'idempotency-key');
  if (key === undefined) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw refuse('input_invalid', {
      subject: 'Idempotency-Key: must be 1 to 255 printable ASCII characters',
      fields: ['Idempotency-Key'],
    });
  }
  return { key, hash: await hashOf(toJson(sortKeys(body))) };
}

/** So many at a time that others are answered in between. */
const hashChunkBytes = 1024 * 1024;

async function hashOf(text: string): Promise<string> {
  const hash = createHash('sha256');
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += hashChunkBytes) {
    if (at > 0) await breathe();
    hash.update(bytes.subarray(at, at + hashChunkBytes));
  }
  return hash.digest('hex');
}

/** Bodies are compared as parsed JSON: the order of keys says nothing. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sortKeys(member)]),
  );
}

const headerOf = (message: IncomingMessage, name: string): string | undefined => {
  const value = message.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};
