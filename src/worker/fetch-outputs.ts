// Fetches what an upstream made of a job into local files, with retries from fresh URLs.
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobInfo } from '../domain/blobs.ts';
import { minutes, seconds } from '../domain/clock.ts';
import { jobError, type Remedy } from '../domain/job.ts';
import type { MediaFacts } from '../domain/media.ts';
import type { ProducedFile, Production } from '../domain/provider.ts';
import { fetchMedia } from '../media/fetch-media.ts';
import { orSpoolUnavailable } from '../media/spool-file.ts';
import type { WorkerContext } from './context.ts';
import { type EndedJob, endedWith, type RunningJob } from './running-job.ts';
import type { UpstreamJob } from './submit.ts';

/** Minutes of 4K video, and the time that it may take over a slow line. */
const maxResultBytes = 2 * 1024 * 1024 * 1024;
const fetchTimeoutMs = 10 * minutes;
/** Attempts at a result that was paid for, and the first wait between two: doubling. */
const maxAttempts = 6;
const firstWaitMs = 2 * seconds;

/** A produced file on this machine; what is known from its download is not computed again. */
export interface LocalFile extends ProducedFile {
  readonly path: string;
  /** Null where it was not probed yet. */
  readonly facts: MediaFacts | null;
  /** Size and digest; null where they were not computed yet. */
  readonly content: Omit<BlobInfo, 'key'> | null;
}

/** What an upstream made, with every file on this machine. */
export interface LocalProduction extends Production {
  readonly files: readonly LocalFile[];
}

/** The files on this machine, or the end of a job whose files could not be fetched. */
export type FetchedOutputs = { readonly kind: 'fetched'; readonly production: LocalProduction } | EndedJob;

/** What is fetched, and what it is fetched again by. */
export interface FetchOutputsOptions {
  /** What the upstream made, with URLs of its files. */
  readonly production: Production;
  /** Where fresh URLs come from; null where the answer of the submission was the result. */
  readonly upstreamJob: UpstreamJob | null;
  /** Removes the local files when it is disposed of. */
  readonly cleanup: AsyncDisposableStack;
}

/** A failed, truncated or wrong download is repeated from a fresh URL, until the attempts or the job end. */
export async function fetchOutputs(
  context: WorkerContext,
  running: RunningJob,
  { production, upstreamJob, cleanup }: FetchOutputsOptions,
): Promise<FetchedOutputs> {
  const local = asLocalProduction(production);
  if (local) return { kind: 'fetched', production: local };
  const folder = join(context.workDir, randomUUID());
  await orSpoolUnavailable(mkdir(folder));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  // Each retry may replace the URLs.
  let latest = production;
  let failure: FetchFailure = { reason: '' };
  for (let retries = 0; retries < maxAttempts; retries++) {
    const early =
      retries === 0
        ? running.checkStopOrDeadline()
        : await running.waitForEnd(firstWaitMs * 2 ** (retries - 1));
    if (early) return endedWith(early);
    if (retries > 0) latest = await refreshProduction(running, upstreamJob, latest);
    const fetched = await fetchFiles(context, running, latest, folder);
    if ('files' in fetched) return { kind: 'fetched', production: fetched };
    failure = fetched;
  }
  const { reason, remedy } = failure;
  const error = jobError('runtime_error', `the result could not be fetched: ${reason}`);
  return endedWith({ kind: 'failed', error, ...(remedy && { remedy }) });
}

/** Why a file could not be fetched, and what the operator can do where it is a matter of the settings. */
interface FetchFailure {
  readonly reason: string;
  readonly remedy?: Remedy;
}

/** Null unless every file is on this machine already. */
function asLocalProduction(production: Production): LocalProduction | null {
  const files = production.files.flatMap(file => {
    const { source } = file;
    return source.kind === 'path' ? toLocalFile(file, source.path) : [];
  });
  return files.length === production.files.length ? { ...production, files } : null;
}

const toLocalFile = (file: ProducedFile, path: string): LocalFile => ({
  ...file,
  path,
  facts: null,
  content: null,
});

/** URLs of results expire: another poll gives fresh ones, where the upstream has the job. */
async function refreshProduction(
  { route }: RunningJob,
  upstreamJob: UpstreamJob | null,
  before: Production,
): Promise<Production> {
  if (!upstreamJob) return before;
  const polled = await route.account.provider.poll(upstreamJob.attempt, upstreamJob.ref);
  return polled.kind === 'succeeded' ? polled.production : before;
}

/** The production with local files, or why the first that failed could not be fetched. */
async function fetchFiles(
  context: WorkerContext,
  running: RunningJob,
  production: Production,
  folder: string,
): Promise<LocalProduction | FetchFailure> {
  const files: LocalFile[] = [];
  for (const file of production.files) {
    const fetched = await fetchFile(context, running, file, folder);
    if ('reason' in fetched) return fetched;
    files.push(fetched);
  }
  return { ...production, files };
}

/** One file; probed unless its type cannot be. */
async function fetchFile(
  { prober }: WorkerContext,
  { job, route, signal }: RunningJob,
  file: ProducedFile,
  folder: string,
): Promise<LocalFile | FetchFailure> {
  if (file.source.kind === 'path') return toLocalFile(file, file.source.path);
  const fetched = await fetchMedia(route.account.resultsClient, file.source.url, {
    maxBytes: maxResultBytes,
    timeoutMs: fetchTimeoutMs,
    directory: folder,
    share: job.userId,
    signal,
  });
  if (fetched.kind === 'refused') {
    const { reason, why } = fetched;
    return why === 'private' ? { reason, remedy: remedyFor(route.account.id, file.source.url) } : { reason };
  }
  const { path, bytes, sha256 } = fetched;
  const local = { ...toLocalFile(file, path), content: { bytes, sha256 } };
  if (file.pcm || file.role === 'subtitle') return local;
  // The bytes decide, not the declared type: a page of HTML is no video.
  const probe = await prober.probe(path, { share: job.keyId, kind: 'job' });
  const facts = probe.kind === 'read' ? probe.facts : null;
  if (!facts?.image && !facts?.video && !facts?.audio)
    return { reason: 'The content of the URL is not a media file.' };
  return { ...local, facts, mimeType: facts.mimeType };
}

/** Without the path of the result, which may be signed. */
function remedyFor(account: string, url: string): Remedy {
  const host = URL.parse(url)?.origin ?? 'an invalid address';
  return {
    code: 'result_address_refused',
    message: `The upstream gave its result at ${host}. Results are fetched from public addresses, and from that in base_url of the account ${account}; with ATELIER_ALLOW_PRIVATE_NETWORK=1 from any.`,
  };
}
