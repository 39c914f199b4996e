/** A load balancer as an operator puts it in front of several processes. */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What an operator puts in front of several processes: every request goes to the next one that says it is ready,
 * over connections that are kept. A request is sent again only where its connection was refused.
 */
export interface Balancer {
  readonly url: string;
  /** From now on these are asked, too. */
  lead(urls: readonly string[]): void;
  /** Those that said it when they were asked last. */
  ready(): readonly string[];
  /** Requests whose connection broke before an answer, and how: they must not be sent again. */
  readonly broken: readonly string[];
  close(): Promise<void>;
}

/** As short as an operator would set it; a process that stops says so for longer. */
const probeEveryMs = 250;
const probeTimeoutMs = 5_000;
const firstChanceMs = 5_000;
const againMs = 20;
/** They are about one connection alone. */
const hopHeaders = ['connection', 'keep-alive', 'transfer-encoding'];

export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const broken: string[] = [];
  const ended = new AbortController();
  const ready = new Set<string>();
  const probing: Promise<void>[] = [];
  let turn = 0;
  const server = createServer((asked, answer) => {
    pass(asked, answer).catch(() => answer.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead(urls) {
      probing.push(...urls.map(probe));
    },
    ready: () => [...ready],
    broken,
    async close() {
      ended.abort();
      await Promise.all(probing);
      agent.destroy();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };

  /** Each by itself: one whose disk is slow must not keep us from noticing that another one stops. */
  async function probe(url: string): Promise<void> {
    while (!ended.signal.aborted) {
      if (await saysReady(url)) ready.add(url);
      else ready.delete(url);
      await sleep(probeEveryMs, undefined, { signal: ended.signal }).catch(() => {});
    }
  }

  async function pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = Buffer.concat(await asked.toArray());
    const endsAt = performance.now() + firstChanceMs;
    while (performance.now() < endsAt) {
      const candidates = [...ready];
      const url = candidates[turn++ % candidates.length];
      try {
        if (url !== undefined) return giveBack(await send(url, asked, body), answer);
      } catch (failure) {
        if (!isRefused(failure)) {
          broken.push(`${asked.method} ${asked.url}: ${failure}`);
          return void answer.writeHead(502).end();
        }
      }
      await sleep(againMs);
    }
    answer.writeHead(503, { 'retry-after': '1' }).end();
  }

  async function send(
    url: string,
    { method, url: path, headers }: IncomingMessage,
    body: Buffer,
  ): Promise<IncomingMessage> {
    const passed = request(new URL(path ?? '/', url), { method, headers: endToEnd(headers), agent }).end(
      body,
    );
    const [given]: IncomingMessage[] = await once(passed, 'response');
    return given!;
  }
}

function giveBack(given: IncomingMessage, answer: ServerResponse): void {
  answer.writeHead(given.statusCode ?? 500, endToEnd(given.headers));
  given.pipe(answer);
  given.on('error', () => answer.destroy());
}

/** No connection was opened, so that another process may be asked. */
const isRefused = (failure: unknown): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === 'ECONNREFUSED';

const endToEnd = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopHeaders.includes(name)));

const saysReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(probeTimeoutMs) }).then(
    async answer => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );
