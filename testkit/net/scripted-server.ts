/** A server that answers requests by a script, for tests of the client. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that reached the server. */
export interface ReceivedRequest {
  readonly line: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** What it does next: answers, breaks the connection, or never answers. */
export type Act =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  | 'reset'
  | 'never';

/** A gateway that fails by a script. */
export interface ScriptedServer {
  readonly url: string;
  /** Since the last script. */
  readonly received: readonly ReceivedRequest[];
  /** The acts from now on, one a request; the last of them for ever. */
  script(...acts: readonly Act[]): void;
  close(): Promise<void>;
}

export async function openScriptedServer(): Promise<ScriptedServer> {
  const received: ReceivedRequest[] = [];
  let acts: readonly Act[] = ['reset'];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const headers = request.headers as Readonly<Record<string, string | undefined>>;
    const act = acts[Math.min(received.length, acts.length - 1)]!;
    received.push({ line: `${request.method} ${request.url}`, headers, text });
    if (act === 'reset') return void request.socket.destroy();
    if (act === 'never') return;
    const body = typeof act.body === 'string' ? act.body : JSON.stringify(act.body ?? {});
    response.writeHead(act.status, { 'x-request-id': 'asked-1', ...act.headers }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    script(...next) {
      acts = next;
      received.length = 0;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
