/** A request on its way to a job: what the gates are given, and the draft that each of them passes on. */
import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../body/json-body.ts';
import type { MemoryBudget } from '../body/memory-budget.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Faults } from '../catalog/faults.ts';
import type { ForeignKind } from '../catalog/foreign-jobs.ts';
import type { Model } from '../catalog/model.ts';
import type { Clock } from '../domain/clock.ts';
import type { JobId } from '../domain/ids.ts';
import type { Priority } from '../domain/job.ts';
import type { Principal } from '../domain/key.ts';
import type { MediaFacts } from '../domain/media.ts';
import type { Prices } from '../domain/prices.ts';
import type { PresentedQuote, QuoteSigner } from '../domain/quote-signature.ts';
import type { Reference, ResolvedReference } from '../domain/reference.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { RouteCandidate } from '../routing/choose-routes.ts';
import type { Connection } from '../store/db/connection.ts';
import type { Idempotency } from '../store/jobs/idempotency.ts';
import type { Insertion } from '../store/jobs/insert.ts';
import type { QueuePositions } from '../store/jobs/queue-position.ts';
import type { BacklogLimit } from './backlog-limit.ts';
import type { QueuedInsert } from './insert-queue.ts';
import type { MediaContext, ValidatedMedia } from './inspect-media.ts';
import type { RequestResources } from './request-resources.ts';
import type { StorageQuota } from './storage-quota.ts';

/** The request for a new job; its sender is authenticated and within the rate of the key. */
export interface CreateRequest {
  readonly principal: Principal;
  readonly modelId: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The raw request: its headers and its body, which is not read yet. */
  readonly message: IncomingMessage;
  /** The body where another protocol was translated into it; absent: it is read from the message. */
  readonly body?: JsonObject;
  /** What another protocol says beside the body. */
  readonly asked?: AskedBesideBody;
}

/** What protocols of mounts say in their query and headers, where ours has it in the input. */
export interface AskedBesideBody {
  /** In place of the input's, also for models whose inputs have none. */
  readonly callbackUrl?: string;
  /** What the protocol calls that address; default: `webhook`. */
  readonly callbackField?: string;
  /** As the header Cancel-After writes it, in place of that header. */
  readonly cancelAfter?: string;
  /** In place of the input's. */
  readonly priority?: Priority;
  /** In place of the header Idempotency-Key. */
  readonly idempotencyKey?: string;
}

/** The job that answers a request. */
export interface Admitted {
  readonly jobId: JobId;
  readonly modelId: string;
  /** How many jobs of the model run before it; 0 once it has started. */
  readonly position: number;
  /** True when an earlier create under the same Idempotency-Key is answered again. */
  readonly replayed: boolean;
}

/** What every gate may use. */
export interface AdmissionContext {
  /** Rejects writes while the disk is full. */
  readonly db: Connection;
  readonly clock: Clock;
  readonly tracing: Tracing;
  readonly positions: QueuePositions;
  readonly media: MediaContext;
  readonly memoryBudget: MemoryBudget;
  readonly backlog: BacklogLimit;
  readonly storage: StorageQuota;
  readonly insert: QueuedInsert;
  /** A model that is not served is refused like an unknown one. */
  readonly servedModels: () => Catalog;
  readonly candidatesOf: (model: Model) => readonly RouteCandidate[];
  /** The price book; null where there is none. */
  readonly prices: () => Prices | null;
  readonly quoteSigner: QuoteSigner;
  /** Whether callbacks may go to private addresses. */
  readonly allowPrivateNetwork: boolean;
}

/** Where every request begins. */
export interface RequestDraft {
  readonly request: CreateRequest;
  /** What gates took (memory, spool files); released when the request ends, the last first. */
  readonly resources: RequestResources;
}

/** A request for a model that is served. */
export interface ModelDraft extends RequestDraft {
  readonly model: Model;
}

/** Its body, read as a JSON object and not checked yet. */
export interface BodyDraft extends ModelDraft {
  readonly body: JsonObject;
}

/** Its body, valid by the schema and the rules of the model. */
export interface InputDraft extends ModelDraft {
  /** The body as the model's schema parsed it. */
  readonly input: unknown;
  /** The top-level fields that the client sent. */
  readonly given: readonly string[];
}

/** With the earlier of both deadlines (decisions 8). */
export interface DeadlineDraft extends InputDraft {
  /** Time from creation to expiry. */
  readonly deadlineMs: number;
}

/** With the key under which a repeated creation is recognised. */
export interface IdempotencyDraft extends ModelDraft {
  /** Null without an Idempotency-Key. */
  readonly idempotency: Idempotency | null;
}

/** A request whose body is valid; `earlier` is what its Idempotency-Key created before. */
export interface ParsedDraft extends DeadlineDraft, IdempotencyDraft {
  readonly earlier: Insertion | null;
  /** The tags of the job as JSON text; null without any. */
  readonly tags: string | null;
}

/** With the routes that could take the job. */
export interface CandidatesDraft extends InputDraft {
  /** Every route of the model. */
  readonly candidates: readonly RouteCandidate[];
  /** What all of these routes accept though only an upstream knows it. */
  readonly foreignKinds: ReadonlySet<ForeignKind>;
}

/** The earlier jobs that an input refers to. */
export interface ResolvedReferences {
  readonly referred: readonly ResolvedReference[];
  /** Reported by the media gate, in one refusal with the faults of the media. */
  readonly faults: Faults;
  /** The references to jobs of this gateway; the others are resolved by the upstream. */
  readonly ours: readonly Reference[];
  /** Whether the upstream has to resolve some. */
  readonly hasForeign: boolean;
  /** Facts of the referred pictures and videos, by the path of the reference. */
  readonly facts: Readonly<Record<string, MediaFacts>>;
}

/** With the earlier jobs that the input refers to. */
export interface ReferencesDraft extends CandidatesDraft {
  readonly references: ResolvedReferences;
}

/** With its media: fetched where they are inline, probed, and within the limits of their fields. */
export interface MediaDraft extends ReferencesDraft {
  readonly media: ValidatedMedia;
}

/** A creation with the signed quote that it presents; null without one. */
export interface QuotedDraft {
  readonly presentedQuote: PresentedQuote | null;
}

/** A request that nothing in its own content can refuse any more. */
export interface RoutedDraft extends ParsedDraft, MediaDraft {
  /** The accounts that may take the job; null: each of the model's routes. */
  readonly accounts: readonly string[] | null;
  readonly externalTaskId: string | null;
}

/** The address for callbacks of a request; null without one. */
export const callbackUrlOf = ({ request, model, input }: InputDraft): string | null =>
  request.asked?.callbackUrl ?? model.callbackUrl(input);

/** The value of a header; several of one name are joined by commas. */
export function headerOf({ message }: Pick<CreateRequest, 'message'>, name: string): string | undefined {
  const value = message.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
