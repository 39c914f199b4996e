/** A minimal upstream of the queue contract for benchmarks of the worker: it records when each job was polled. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { picture } from '../../testkit/media/media-maker.ts';

/** A job of the upstream. Times are epoch milliseconds. */
export interface UpstreamJob {
  /** The last poll. */
  polledAt: number | null;
  /** Between the last two polls. */
  pollMs: number | null;
  /** Null while it runs. */
  endedAt: number | null;
}

export interface Upstream {
  readonly url: string;
  /** The URL of the result, the same for all jobs. */
  readonly mediumUrl: string;
  readonly jobs: ReadonlyMap<string, UpstreamJob>;
  /** Status requests so far. */
  polls(): number;
  close(): Promise<void>;
}

/** `endsAtOnce`: jobs complete as soon as they are accepted; otherwise the benchmark sets `endedAt`. */
export async function openUpstream({ endsAtOnce }: { readonly endsAtOnce: boolean }): Promise<Upstream> {
  const medium = await picture('png', 64, 64);
  const jobs = new Map<string, UpstreamJob>();
  let polls = 0;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://upstream');
    if (pathname === '/medium') return void response.setHeader('content-type', 'image/png').end(medium);
    response.setHeader('content-type', 'application/json');
    const body = await answer(request, pathname);
    // The relay asks for a job that no upstream has, to see whether its key is accepted.
    response.statusCode = body === null ? 404 : 200;
    response.end(JSON.stringify(body ?? { detail: 'job not found' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** Null: no job of this upstream. */
  async function answer(request: IncomingMessage, path: string): Promise<unknown> {
    if (request.method === 'POST') {
      await request.toArray();
      const id = randomUUID();
      jobs.set(id, { polledAt: null, pollMs: null, endedAt: endsAtOnce ? Date.now() : null });
      return { request_id: id };
    }
    const [, id = '', end] = /\/requests\/([^/]+)\/(\w+)$/.exec(path) ?? [];
    const job = jobs.get(id);
    if (!job) return null;
    if (end === 'status') {
      polls += 1;
      notePoll(job);
    }
    if (job.endedAt === null) return { request_id: id, status: 'IN_PROGRESS' };
    const images = [{ index: 0, url: `${url}/medium`, content_type: 'image/png' }];
    return { request_id: id, status: 'COMPLETED', error: null, images };
  }

  return {
    url,
    mediumUrl: `${url}/medium`,
    jobs,
    polls: () => polls,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Writes settings that route each model to the upstream by an account of the given name, with slots for all jobs; the
 * environment for the gateway.
 */
export async function routeTo(
  upstream: Upstream,
  accountOf: Readonly<Record<string, string>>,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  await mkdir(folder);
  const path = join(folder, 'atelier.yaml');
  const account = { provider: 'relay', base_url: upstream.url, api_key: 'env:STUDIO', slots: 1_000_000 };
  const settings = {
    limits: { queue: { per_second: 1_000_000, burst: 10_000_000 } },
    accounts: Object.fromEntries(Object.values(accountOf).map(name => [name, account])),
    routes: Object.fromEntries(
      Object.entries(accountOf).map(([model, name]) => [model, [{ account: name }]]),
    ),
  };
  // JSON is YAML.
  await writeFile(path, JSON.stringify(settings));
  return { ATELIER_DATA_DIR: join(folder, 'data'), ATELIER_CONFIG: path, STUDIO: 'key' };
}

/** Keeps the time of the poll and the interval since the one before. */
function notePoll(job: UpstreamJob): void {
  const now = Date.now();
  if (job.polledAt !== null) job.pollMs = now - job.polledAt;
  job.polledAt = now;
}
