import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobInfo } from '../domain/blobs.ts';
import { minutes, seconds } from '../domain/clock.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { MediaFacts } from '../domain/media.ts';
import type { ProducedFile, Production } from '../domain/provider.ts';
import { fetchMedia } from '../media/fetch-media.ts';
import { orSpoolUnavailable } from '../media/spool-file.ts';
import type { WorkerContext } from './context.ts';
import type { RunningJob } from './lease.ts';
import type { UpstreamJob } from './submit.ts';

/** A video of minutes in 4K, and the time that it may take over a slow line. */
const maxResultBytes = 2 * 1024 * 1024 * 1024;
const fetchTimeoutMs = 10 * minutes;
/** Tries at a result that was paid for, and the first wait between two: doubling. */
const maxAttempts = 6;
const firstWaitMs = 2 * seconds;

/** A produced file on this machine. What was learnt on its way here is not found out again. */
export interface LocalFile extends ProducedFile {
  readonly path: string;
  readonly facts: MediaFacts | null;
  readonly content: Omit<BlobInfo, 'key'> | null;
}

export interface LocalProduction extends Production {
  readonly files: readonly LocalFile[];
}

export type FetchedOutputs = (
  | { readonly kind: 'received'; readonly production: LocalProduction }
  | { readonly kind: 'ended'; readonly outcome: Outcome }
) & {
  /** Removes the local files. */
  drop(): Promise<void>;
};

/** Brings what a provider made to this machine. A dead, cut or wrong answer is fetched again, from a fresh address. */
export async function fetchOutputs(
  parts: WorkerContext,
  holding: RunningJob,
  production: Production,
  underWay: UpstreamJob | null,
): Promise<FetchedOutputs> {
  const made = asLocalProduction(production);
  if (made) return { kind: 'received', production: made, drop: async () => {} };
  const folder = join(parts.workDir, randomUUID());
  await orSpoolUnavailable(mkdir(folder));
  const drop = () => rm(folder, { recursive: true, force: true });
  try {
    let asked = production;
    let reason = '';
    for (let tries = 0; tries < maxAttempts; tries++) {
      const early =
        tries === 0
          ? holding.checkStopOrDeadline()
          : await holding.waitForEnd(firstWaitMs * 2 ** (tries - 1));
      if (early) return { kind: 'ended', outcome: early, drop };
      if (tries > 0) asked = await refreshProduction(holding, underWay, asked);
      const brought = await fetchFiles(parts, holding, asked, folder);
      if (typeof brought !== 'string') return { kind: 'received', production: brought, drop };
      reason = brought;
    }
    const error = jobError('runtime_error', `the result could not be fetched: ${reason}`);
    return { kind: 'ended', outcome: { kind: 'failed', error }, drop };
  } catch (failure) {
    await drop();
    throw failure;
  }
}

/** Null unless every file lies on this machine already. */
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

/** Addresses of results end: the upstream is asked for fresh ones where it can be. */
async function refreshProduction(
  { route }: RunningJob,
  underWay: UpstreamJob | null,
  before: Production,
): Promise<Production> {
  if (!underWay) return before;
  const polled = await route.account.provider.poll(underWay.attempt, underWay.ref);
  return polled.kind === 'succeeded' ? polled.production : before;
}

/** The production with local files, or why it cannot be had now. */
async function fetchFiles(
  parts: WorkerContext,
  holding: RunningJob,
  production: Production,
  folder: string,
): Promise<LocalProduction | string> {
  const files: LocalFile[] = [];
  for (const file of production.files) {
    const brought = await fetchFile(parts, holding, file, folder);
    if (typeof brought === 'string') return brought;
    files.push(brought);
  }
  return { ...production, files };
}

async function fetchFile(
  { prober }: WorkerContext,
  { job, route, signal }: RunningJob,
  file: ProducedFile,
  folder: string,
): Promise<LocalFile | string> {
  if (file.source.kind === 'path') return toLocalFile(file, file.source.path);
  const fetched = await fetchMedia(route.account.resultsClient, file.source.url, {
    maxBytes: maxResultBytes,
    timeoutMs: fetchTimeoutMs,
    directory: folder,
    share: job.userId,
    signal,
  });
  if (fetched.kind === 'refused') return fetched.reason;
  const { path, bytes, sha256 } = fetched;
  const local = { ...toLocalFile(file, path), content: { bytes, sha256 } };
  if (file.pcm || file.role === 'subtitle') return local;
  // What the bytes are decides, not what the upstream calls them: a page of HTML is no video.
  const probe = await prober.probe(path, { share: job.keyId, kind: 'job' });
  const facts = probe.kind === 'read' ? probe.facts : null;
  if (!facts?.image && !facts?.video && !facts?.audio) return 'What the address holds is not a medium.';
  return { ...local, facts, mimeType: facts.mimeType };
}
