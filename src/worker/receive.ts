import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes, seconds } from '../domain/clock.ts';
import { jobError, type Outcome } from '../domain/job.ts';
import type { ProducedFile, Production } from '../domain/provider.ts';
import { fetchMedia } from '../media/fetch-media.ts';
import { onSpool } from '../media/receive.ts';
import type { Holding } from './holding.ts';
import type { WorkerParts } from './parts.ts';
import type { UnderWay } from './submit.ts';

/** A video of minutes in 4K, and the time that it may take over a slow line. */
const maxResultBytes = 2 * 1024 * 1024 * 1024;
const fetchTimeoutMs = 10 * minutes;
/** Tries at a result that was paid for, and the first wait between two: doubling. */
const maxTries = 6;
const firstWaitMs = 2 * seconds;

export type Received = (
  | { readonly kind: 'received'; readonly production: Production }
  | { readonly kind: 'ended'; readonly outcome: Outcome }
) & {
  /** Removes the local files. */
  drop(): Promise<void>;
};

/** Brings what a provider made to this machine. A dead, cut or wrong answer is fetched again, from a fresh address. */
export async function receive(
  parts: WorkerParts,
  holding: Holding,
  production: Production,
  underWay: UnderWay | null,
): Promise<Received> {
  if (production.files.every(({ source }) => source.kind === 'path'))
    return { kind: 'received', production, drop: async () => {} };
  const folder = join(parts.workFolder, randomUUID());
  await onSpool(mkdir(folder));
  const drop = () => rm(folder, { recursive: true, force: true });
  try {
    let asked = production;
    let reason = '';
    for (let tries = 0; tries < maxTries; tries++) {
      const early =
        tries === 0 ? holding.whyEndByTime() : await holding.whyEndAfter(firstWaitMs * 2 ** (tries - 1));
      if (early) return { kind: 'ended', outcome: early, drop };
      if (tries > 0) asked = await askAgain(holding, underWay, asked);
      const brought = await bringAll(parts, holding, asked, folder);
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

/** Addresses of results end: the upstream is asked for fresh ones where it can be. */
async function askAgain(
  { route }: Holding,
  underWay: UnderWay | null,
  before: Production,
): Promise<Production> {
  if (!underWay) return before;
  const polled = await route.account.provider.poll(underWay.attempt, underWay.ref);
  return polled.kind === 'succeeded' ? polled.production : before;
}

/** The production with local files, or why it cannot be had now. */
async function bringAll(
  parts: WorkerParts,
  holding: Holding,
  production: Production,
  folder: string,
): Promise<Production | string> {
  const files: ProducedFile[] = [];
  for (const file of production.files) {
    const brought = await bring(parts, holding, file, folder);
    if (typeof brought === 'string') return brought;
    files.push(brought);
  }
  return { ...production, files };
}

async function bring(
  { prober }: WorkerParts,
  { route, signal }: Holding,
  file: ProducedFile,
  folder: string,
): Promise<ProducedFile | string> {
  if (file.source.kind === 'path') return file;
  const fetched = await fetchMedia(route.account.results, file.source.url, {
    maxBytes: maxResultBytes,
    timeoutMs: fetchTimeoutMs,
    directory: folder,
    signal,
  });
  if (fetched.kind === 'refused') return fetched.reason;
  const local: ProducedFile = { ...file, source: { kind: 'path', path: fetched.path } };
  if (file.pcm || file.role === 'subtitle') return local;
  // What the bytes are decides, not what the upstream calls them: a page of HTML is no video.
  const probe = await prober.probe(fetched.path);
  const facts = probe.kind === 'read' ? probe.facts : null;
  if (!facts?.image && !facts?.video && !facts?.audio) return 'What the address holds is not a medium.';
  return { ...local, mimeType: facts.mimeType };
}
