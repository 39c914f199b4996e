/** A receiver of callbacks that answers as a test wants. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that reached a receiver. */
export interface Notice {
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  /** The body as it came. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape.
  readonly body: any;
}

export type Reply = (response: ServerResponse, notice: Notice) => void;

/** A scripted receiver of callbacks. */
export interface Receiver {
  readonly url: string;
  /** All that came, in order. */
  readonly notices: readonly Notice[];
  /** Requests without an answer, now and at most. */
  readonly open: () => { readonly now: number; readonly most: number };
  /** What it answers from now on. */
  reply(reply: Reply): void;
  /** Connections to its address are refused until it is resumed. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

export const answer =
  (code: number, headers: Readonly<Record<string, string>> = {}, body = ''): Reply =>
  response =>
    void response.writeHead(code, headers).end(body);

export const never: Reply = () => {};

export async function openReceiver(
  first: Reply = answer(204),
  host = '127.0.0.1',
  wantedPort = 0,
): Promise<Receiver> {
  const notices: Notice[] = [];
  const open = { now: 0, most: 0 };
  let reply = first;
  let port = wantedPort;
  const server = createServer(async (request, response) => {
    open.most = Math.max(open.most, ++open.now);
    response.on('close', () => open.now--);
    request.on('error', () => {});
    const text = Buffer.concat(await request.toArray().catch(() => [])).toString();
    const headers = request.headers as Readonly<Record<string, string>>;
    const notice = { headers, method: request.method ?? '', text, body: text && JSON.parse(text) };
    notices.push(notice);
    reply(response, notice);
  });
  const listen = async () => {
    server.listen(port, host);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  };
  const pause = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await listen();
  return {
    url: `http://${host}:${port}/callback`,
    notices,
    open: () => open,
    reply: next => {
      reply = next;
    },
    pause,
    resume: listen,
    close: async () => void (server.listening && (await pause())),
  };
}
