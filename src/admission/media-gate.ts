import { setImmediate as breathe } from 'node:timers/promises';
import { Base64Error, countDecodedBytes, decodeBase64 } from '../body/base64.ts';
import { type Fault, formatFaults } from '../catalog/faults.ts';
import { type ForeignKind, foreignRouteHint, isForeignAsset } from '../catalog/foreign-jobs.ts';
import { type FoundMedia, mediaFormOf, replaceMedia } from '../catalog/media.ts';
import { brokenBytes, brokenLimit } from '../catalog/media-limits.ts';
import type { Model } from '../catalog/model.ts';
import type { Clock } from '../domain/clock.ts';
import { newFile, type StoredFile } from '../domain/file.ts';
import type { Signer } from '../domain/file-signature.ts';
import { type FileId, fileIdFromRow, type JobId } from '../domain/ids.ts';
import type { Principal } from '../domain/key.ts';
import type { KnownFacts, MediaFacts } from '../domain/media.ts';
import type { Reference } from '../domain/reference.ts';
import { refuse } from '../domain/refusal.ts';
import type { ReferencedJob } from '../routing/choose-routes.ts';
import type { Statements } from '../store/db/connection.ts';
import { readFile, readFileOfUser } from '../store/files/files.ts';
import { resolvePinned } from '../store/jobs/references.ts';
import { openRequestProber, type RequestProber, type RequestProberDependencies } from './request-prober.ts';
import { resolveReferences } from './resolve-references.ts';
import type { Sender } from './sender.ts';
import type { Spool, Spooled } from './spool.ts';
import { removeUncommittedBlobs } from './store-upload.ts';

/** An input in which every medium is an address on the web or a file of ours, and the files that came with it. */
export interface StoredInput {
  readonly input: unknown;
  readonly files: readonly StoredFile[];
  /** The job that this one was made from, if any. */
  readonly parentId: string | null;
}

export interface MediaGate {
  /** Judges all that needs no network; throws the 422 with every fault. Nothing is kept yet. */
  validate(model: Model, input: unknown, asked: MediaGateOptions): Promise<ValidatedMedia>;
}

export interface MediaGateOptions {
  readonly sender: Sender;
  /** What every upstream that may get the job knows though this gateway does not. */
  readonly takesForeign: ReadonlySet<ForeignKind>;
  /** The fields at the top that the client gave. */
  readonly given: readonly string[];
}

/** Media that passed; ends with `keep` or with `drop`. */
export interface ValidatedMedia {
  /** The earlier jobs that the input points at, and where they were made. */
  readonly owned: readonly ReferencedJob[];
  /** Whether it names something that only an upstream knows. */
  readonly isForeign: boolean;
  /** How many bytes came inline. */
  readonly inlineBytes: number;
  /** Turns what came inline into files of the job. */
  store(jobId: JobId): Promise<StoredInput>;
  drop(): Promise<void>;
  /** Takes back what was kept for a job that was not stored. */
  rollback(kept: StoredInput, failure: unknown): Promise<void>;
}

export interface MediaGateDependencies extends RequestProberDependencies {
  readonly clock: Clock;
  readonly signer: Signer;
  readonly publicUrl: () => string;
}

/** A medium after the gate: as it was, or to be written as a file of ours. */
type ValidatedMedium =
  | { readonly found: FoundMedia; readonly kind: 'as-it-is' }
  | { readonly found: FoundMedia; readonly kind: 'own'; readonly fileId: string; readonly facts: MediaFacts }
  | {
      readonly found: FoundMedia;
      readonly kind: 'inline';
      readonly spooled: Spooled;
      readonly facts: MediaFacts;
    };

export function openMediaGate(parts: MediaGateDependencies): MediaGate {
  return {
    async validate(model, input, { sender, takesForeign, given }) {
      const { principal } = sender;
      const asking: ValidationContext = {
        model,
        sender,
        takesForeign,
        prober: openRequestProber(parts, sender),
        own: new Map(),
      };
      const passed: ValidatedMedium[] = [];
      const {
        referred,
        faults: referenceFaults,
        facts,
        ours,
      } = await resolveReferences(parts.db, model, input, {
        userId: principal.userId,
        takesForeign,
        now: parts.clock.now(),
      });
      const faults: Fault[] = [...referenceFaults, ...model.inheritFaults(input, given, referred)];
      const known: Record<string, MediaFacts> = { ...facts };
      const dropInline = async () => {
        for (const item of passed) if (item.kind === 'inline') await item.spooled.drop();
      };
      try {
        for (const found of model.media(input)) {
          const verdict = await validateMedium(parts, found, asking);
          const path = found.path.join('.');
          if (typeof verdict === 'string') faults.push({ path, reason: verdict });
          else {
            passed.push(verdict);
            if (verdict.kind !== 'as-it-is') known[path] = verdict.facts;
          }
        }
        if (faults.length === 0) faults.push(...model.mediaFaults(input, path => known[path] ?? null));
        if (faults.length > 0) {
          throw refuse('input_invalid', {
            subject: formatFaults(faults),
            fields: faults.map(fault => fault.path),
          });
        }
      } catch (failure) {
        await dropInline();
        throw failure;
      }
      return {
        owned: await findOwnedReferences(parts.db, ours, principal),
        isForeign:
          ours.length < model.references(input).length ||
          passed.some(({ found, kind }) => kind === 'as-it-is' && isForeignAsset(found.value)),
        inlineBytes: passed.reduce((sum, item) => sum + (item.kind === 'inline' ? item.spooled.bytes : 0), 0),
        store: async jobId => {
          const kept = await storeMedia(parts, input, passed, principal, jobId).finally(dropInline);
          return {
            ...kept,
            input: model.inherit(kept.input, referred),
            parentId: referred[0]?.jobId ?? null,
          };
        },
        drop: dropInline,
        rollback: ({ files }, failure) => removeUncommittedBlobs(parts.blobs, files, failure),
      };
    },
  };
}

async function findOwnedReferences(
  db: Statements,
  references: readonly Reference[],
  { userId }: Principal,
): Promise<readonly ReferencedJob[]> {
  const owned: ReferencedJob[] = [];
  for (const reference of references) {
    const pinned = await resolvePinned(db, reference, userId);
    owned.push({ path: reference.path, account: pinned?.account ?? null });
  }
  return owned;
}

/** Who asks, and how he looks at files. */
interface ValidationContext {
  readonly model: Model;
  readonly sender: Sender;
  readonly takesForeign: MediaGateOptions['takesForeign'];
  readonly prober: RequestProber;
  /** What was found of own files, by how they are named: one that nine fields name is asked for once. */
  readonly own: Map<string, KnownFacts | 'gone'>;
}

/** A reason when the medium breaks a bound, else what it is. */
async function validateMedium(
  parts: MediaGateDependencies,
  found: FoundMedia,
  asking: ValidationContext,
): Promise<ValidatedMedium | string> {
  const own = ownFileIn(parts, found.value);
  if (typeof own === 'string') return own;
  if (own) return validateOwnFile(parts, found, own, asking);
  // A web address is fetched by the worker, once the request is a job.
  const form = mediaFormOf(found.value);
  if (form === 'url') return { found, kind: 'as-it-is' };
  if (form === 'asset') {
    const isForeign = isForeignAsset(found.value);
    if (isForeign && asking.takesForeign.has('asset')) return { found, kind: 'as-it-is' };
    // Contract 2.1: assets of an upstream are known to that family alone.
    return `asset not found${isForeign && asking.model.family === 'alpha' ? foreignRouteHint('asset') : ''}`;
  }
  return validateInline(parts, { ...found, form }, asking);
}

interface OwnFile {
  readonly id: string;
  readonly signed: boolean;
}

/** The file id in `file_…`, `asset://file_…` or an address that we signed; a reason where our signature does not hold. */
function ownFileIn(
  { signer, publicUrl, clock }: MediaGateDependencies,
  value: string,
): OwnFile | string | null {
  if (mediaFormOf(value) === 'own') return { id: value.replace(/^asset:\/\//, ''), signed: false };
  if (!value.startsWith(`${publicUrl()}/v1/f/`)) return null;
  const verdict = signer.verify(value.slice(publicUrl().length), clock.now());
  if (verdict.kind === 'valid') return { id: verdict.fileId, signed: true };
  return verdict.kind === 'expired' ? 'the signed address has expired' : 'the signed address is not valid';
}

async function validateOwnFile(
  parts: MediaGateDependencies,
  found: FoundMedia,
  { id, signed }: OwnFile,
  asking: ValidationContext,
): Promise<ValidatedMedium | string> {
  const fileId = fileIdFromRow(id);
  const name = `${signed} ${id}`;
  const facts = asking.own.get(name) ?? (await findOwnFacts(parts, { fileId, signed }, asking));
  asking.own.set(name, facts);
  if (facts === 'gone') return 'file not found';
  if (facts === 'unreadable') return unreadable;
  return brokenLimit(facts, found.limits) ?? { found, kind: 'own', fileId, facts };
}

async function findOwnFacts(
  { db, clock }: MediaGateDependencies,
  { fileId, signed }: { readonly fileId: FileId; readonly signed: boolean },
  { sender, prober }: ValidationContext,
): Promise<KnownFacts | 'gone'> {
  const now = clock.now();
  // A signed address opens the file to whoever holds it; an id alone only to its user.
  const file = signed
    ? await readFile(db, fileId, now)
    : await readFileOfUser(db, fileId, sender.principal.userId, now);
  return file ? prober.probeStored(file) : 'gone';
}

const unreadable = 'cannot be read as a medium';

async function validateInline(
  { spool }: MediaGateDependencies,
  { form, ...found }: FoundMedia & { readonly form: ReturnType<typeof mediaFormOf> },
  { sender, prober }: ValidationContext,
): Promise<ValidatedMedium | string> {
  const encoded = form === 'data-url' ? found.value.slice(found.value.indexOf(',') + 1) : found.value;
  // Four characters carry three bytes: too many are refused before they are decoded. White space carries none.
  const mayBeTooMany = brokenBytes(Buffer.byteLength(encoded, 'base64'), found.limits);
  const tooMany = mayBeTooMany && brokenBytes(countDecodedBytes(encoded), found.limits);
  if (tooMany) return tooMany;
  const spooled = encoded === '' ? null : await spoolBase64(spool, sender, encoded);
  if (spooled === null) return 'is not valid base64';
  try {
    const facts = await prober.probeSpooled(spooled);
    const fault = facts === 'unreadable' ? unreadable : brokenLimit(facts, found.limits);
    if (fault === null && facts !== 'unreadable') return { found, kind: 'inline', spooled, facts };
    await spooled.drop();
    return fault ?? unreadable;
  } catch (failure) {
    await spooled.drop();
    throw failure;
  }
}

/** Its bytes in the spool; null for what is not base64. */
async function spoolBase64(spool: Spool, { principal }: Sender, text: string): Promise<Spooled | null> {
  try {
    return await spool.receive(principal.keyId, yieldBetween(decodeBase64(text)), { maxBytes: text.length });
  } catch (failure) {
    if (failure instanceof Base64Error) return null;
    throw failure;
  }
}

/** Others are answered between one piece and the next. */
async function* yieldBetween<T>(pieces: Iterable<T>): AsyncGenerator<T> {
  for (const piece of pieces) {
    yield piece;
    await breathe();
  }
}

async function storeMedia(
  { blobs, clock }: MediaGateDependencies,
  input: unknown,
  passed: readonly ValidatedMedium[],
  { userId, keyId }: Principal,
  jobId: JobId,
): Promise<Omit<StoredInput, 'parentId'>> {
  let kept = input;
  const files: StoredFile[] = [];
  try {
    for (const item of passed) {
      if (item.kind === 'as-it-is') continue;
      if (item.kind === 'own') {
        kept = replaceMedia(kept, item.found.path, item.fileId);
        continue;
      }
      const blob = await blobs.put(item.spooled.path, item.spooled);
      const { facts } = item;
      const { mimeType, image, video } = facts;
      const source = { userId, keyId, source: 'input', jobId } as const;
      const file = newFile({ blob, ...source, mimeType, dimensions: image ?? video, facts }, clock.now());
      files.push(file);
      kept = replaceMedia(kept, item.found.path, file.id);
    }
    return { input: kept, files };
  } catch (failure) {
    await removeUncommittedBlobs(blobs, files, failure);
    throw failure;
  }
}
