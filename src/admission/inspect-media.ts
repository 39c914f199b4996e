/** Inspects each medium of an input: a web address, a stored file, an asset of an upstream, or inline base64. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Base64Error, countDecodedBytes, decodeBase64 } from '../body/base64.ts';
import { type ForeignKind, foreignRouteHint, isForeignAsset } from '../catalog/foreign-jobs.ts';
import { type FoundMedia, mediaFormOf } from '../catalog/media.ts';
import { brokenBytes, brokenLimit } from '../catalog/media-limits.ts';
import type { Model } from '../catalog/model.ts';
import type { Clock } from '../domain/clock.ts';
import type { Signer } from '../domain/file-signature.ts';
import { type FileId, fileIdFromRow, type JobId } from '../domain/ids.ts';
import type { KnownFacts, MediaFacts } from '../domain/media.ts';
import { readFile, readFileOfUser } from '../store/files/files.ts';
import type { RequestProber, RequestProberDependencies } from './request-prober.ts';
import type { Sender } from './sender.ts';
import type { Spool, Spooled } from './spool.ts';

/** What the inspection and the storing of media use. */
export interface MediaContext extends RequestProberDependencies {
  readonly clock: Clock;
  readonly signer: Signer;
  readonly publicUrl: () => string;
}

/** A valid medium: unchanged in the stored input, or replaced there by the id of a file. */
export type ValidatedMedium =
  | { readonly found: FoundMedia; readonly kind: 'unchanged' }
  | {
      readonly found: FoundMedia;
      readonly kind: 'file';
      readonly fileId: string;
      readonly facts: MediaFacts;
      /** The job whose output it is; null for an upload. */
      readonly madeBy: JobId | null;
    }
  | {
      readonly found: FoundMedia;
      readonly kind: 'inline';
      readonly spooled: Spooled;
      readonly facts: MediaFacts;
    };

/** The media of a valid input; disposing removes the spool files. */
export interface ValidatedMedia extends AsyncDisposable {
  readonly items: readonly ValidatedMedium[];
  /** Whether some reference or asset is known to the upstream alone. */
  readonly isForeign: boolean;
  /** Size of the media that came inside the body. */
  readonly inlineBytes: number;
}

/** What the inspection of one request's media shares. */
export interface Inspection {
  readonly model: Model;
  readonly sender: Sender;
  /** What every route of the model accepts though only its upstream knows it. */
  readonly foreignKinds: ReadonlySet<ForeignKind>;
  readonly prober: RequestProber;
  /** Stored files by how they are named, so that a file in nine fields is read once. */
  readonly files: Map<string, InspectedFile>;
}

/** What is known of a stored file: its facts, and the job whose output it is. */
interface InspectedFile {
  readonly facts: KnownFacts | 'gone';
  readonly madeBy: JobId | null;
}

/** Whether it is a web address of someone else: the worker fetches it, once the request is a job. */
export const isFetchedLater = ({ publicUrl }: MediaContext, { value }: FoundMedia): boolean =>
  mediaFormOf(value) === 'url' && !value.startsWith(`${publicUrl()}/v1/f/`);

/** The medium, or the reason why it is refused; a promise only where something has to be read. */
export function inspectMedium(
  context: MediaContext,
  found: FoundMedia,
  inspection: Inspection,
): ValidatedMedium | string | Promise<ValidatedMedium | string> {
  if (isFetchedLater(context, found)) return { found, kind: 'unchanged' };
  const named = storedFileIn(context, found.value);
  if (typeof named === 'string') return named;
  if (named) return inspectStoredFile(context, found, named, inspection);
  const form = mediaFormOf(found.value);
  if (form === 'asset') {
    const isForeign = isForeignAsset(found.value);
    if (isForeign && inspection.foreignKinds.has('asset')) return { found, kind: 'unchanged' };
    // Contract 2.1: assets of an upstream are known to that family alone.
    return `asset not found${isForeign && inspection.model.family === 'alpha' ? foreignRouteHint('asset') : ''}`;
  }
  return inspectInline(context, { ...found, form }, inspection);
}

interface NamedFile {
  readonly id: string;
  /** Whether it was named by a signed URL, which opens the file to any sender. */
  readonly signed: boolean;
}

/** The file named by `file_…`, `asset://file_…` or a signed URL; a reason where the signature is not valid. */
function storedFileIn({ signer, publicUrl, clock }: MediaContext, value: string): NamedFile | string | null {
  if (mediaFormOf(value) === 'own') return { id: value.replace(/^asset:\/\//, ''), signed: false };
  if (!value.startsWith(`${publicUrl()}/v1/f/`)) return null;
  const verdict = signer.verify(value.slice(publicUrl().length), clock.now());
  if (verdict.kind === 'valid') return { id: verdict.fileId, signed: true };
  return verdict.kind === 'expired' ? 'the signed address has expired' : 'the signed address is not valid';
}

/** Checks a stored file by its facts, which are probed once and then stored with it. */
async function inspectStoredFile(
  context: MediaContext,
  found: FoundMedia,
  { id, signed }: NamedFile,
  inspection: Inspection,
): Promise<ValidatedMedium | string> {
  const fileId = fileIdFromRow(id);
  const name = `${signed} ${id}`;
  const file = inspection.files.get(name) ?? (await inspectFile(context, { fileId, signed }, inspection));
  inspection.files.set(name, file);
  const { facts, madeBy } = file;
  if (facts === 'gone') return 'file not found';
  if (facts === 'unreadable') return unreadable;
  return brokenLimit(facts, found.limits) ?? { found, kind: 'file', fileId, facts, madeBy };
}

async function inspectFile(
  { db, clock }: MediaContext,
  { fileId, signed }: { readonly fileId: FileId; readonly signed: boolean },
  { sender, prober }: Inspection,
): Promise<InspectedFile> {
  const now = clock.now();
  // A signed URL opens the file to every sender; an id alone only to the file's user.
  const file = signed
    ? await readFile(db, fileId, now)
    : await readFileOfUser(db, fileId, sender.principal.userId, now);
  if (!file) return { facts: 'gone', madeBy: null };
  // The file of a signed URL may be another user's, whose job is no concern of this one.
  const isOwn = file.source === 'output' && file.userId === sender.principal.userId;
  return { facts: await prober.probeStored(file), madeBy: isOwn ? file.jobId : null };
}

/** The end of a sentence that begins with the name of the field. */
const unreadable = 'cannot be read as a medium';

/** Decodes into the spool and probes the bytes there; the caller drops the spooled file. */
async function inspectInline(
  { spool }: MediaContext,
  { form, ...found }: FoundMedia & { readonly form: ReturnType<typeof mediaFormOf> },
  { sender, prober }: Inspection,
): Promise<ValidatedMedium | string> {
  const encoded = form === 'data-url' ? found.value.slice(found.value.indexOf(',') + 1) : found.value;
  // Four characters carry three bytes, so a size over the limit is refused without decoding. White space carries none.
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

/** Its bytes in the spool; null for text that is not base64. */
async function spoolBase64(spool: Spool, { principal }: Sender, text: string): Promise<Spooled | null> {
  try {
    return await spool.receive(principal.keyId, yieldBetween(decodeBase64(text)), { maxBytes: text.length });
  } catch (failure) {
    if (failure instanceof Base64Error) return null;
    throw failure;
  }
}

/** Other requests are served between two pieces. */
async function* yieldBetween<T>(pieces: Iterable<T>): AsyncGenerator<T> {
  for (const piece of pieces) {
    yield piece;
    await yieldToEventLoop();
  }
}
