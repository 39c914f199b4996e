/** The load generator: sends requests at a steady rate on bare sockets and prints the results as JSON. */
import { connect, type Socket } from 'node:net';

/**
 * What to send. The rate does not depend on the answers: the generator must be able to send far more than a gateway
 * can answer, so it is a separate program.
 */
export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** 0: each connection sends again as soon as it is answered. */
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
}

const load: Load = JSON.parse(process.argv[2] ?? '');
const { hostname, port } = new URL(load.url);
const request = asBytes(load);
/** An answer after this long counts as given up by its client. */
const patienceMs = 2000;
const everyMs = 2;

/** The results of one run. */
export interface LoadResult {
  /** Requests that were due, sent or not. */
  readonly offered: number;
  /** Due but not sent: every connection was waiting for an answer. */
  readonly notSent: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** Answered with 200 before their client gave up. */
  readonly accepted: number;
  /** Milliseconds from the moment they were due, of the accepted. */
  readonly acceptedMs: readonly number[];
  /** Milliseconds, of the refused. */
  readonly refusedMs: readonly number[];
  /** Refusals without Retry-After. */
  readonly withoutRetryAfter: number;
  /** CPU seconds of the generator itself. */
  readonly cpuSeconds: number;
}

const free: Socket[] = [];
/** Requests without a complete answer, with the text that arrived. */
const pending = new Map<Socket, { readonly since: number; text: string }>();
const byStatus: Record<string, number> = {};
const acceptedMs: number[] = [];
const refusedMs: number[] = [];
let offered = 0;
let notSent = 0;
let withoutRetryAfter = 0;

const sockets = await Promise.all(Array.from({ length: load.connections }, open));
free.push(...sockets);
const begun = performance.now();
const endsAt = begun + load.seconds * 1000;
const offering = setInterval(sendDue, everyMs);

/** Sends what is due by now; at the end, prints the result. */
function sendDue(): void {
  const now = performance.now();
  const due =
    load.perSecond > 0
      ? Math.floor(((Math.min(now, endsAt) - begun) / 1000) * load.perSecond)
      : offered + (now < endsAt ? free.length : 0);
  for (; offered < due; offered++) {
    const socket = free.pop();
    if (socket) send(socket, now);
    else notSent++;
  }
  if (now < endsAt || (pending.size > 0 && now < endsAt + patienceMs)) return;
  clearInterval(offering);
  for (const socket of sockets) socket.destroy();
  const { user, system } = process.cpuUsage();
  const result: LoadResult = {
    offered,
    notSent,
    byStatus,
    accepted: acceptedMs.length,
    acceptedMs,
    refusedMs,
    withoutRetryAfter,
    cpuSeconds: (user + system) / 1e6,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** The latency counts from `since`, when the request was due. */
function send(socket: Socket, since: number): void {
  pending.set(socket, { since, text: '' });
  socket.write(request);
}

/** The whole request, made once: every request of a load is the same. */
function asBytes({ url, method, headers, body = '' }: Load): Buffer {
  const { host, pathname } = new URL(url);
  const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${pathname} HTTP/1.1`, ...lines, '', body].join('\r\n'));
}

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.setEncoding('latin1').on('data', (text: string) => receive(socket, text));
    socket.on('error', reject);
  });
}

/** Adds text to the socket's answer; it is complete after `content-length` bytes. */
function receive(socket: Socket, text: string): void {
  const answer = pending.get(socket);
  if (!answer) return;
  answer.text += text;
  const headEnd = answer.text.indexOf('\r\n\r\n');
  const length = Number(/^content-length: (\d+)/im.exec(answer.text)?.[1]);
  if (headEnd < 0 || answer.text.length < headEnd + 4 + length) return;
  pending.delete(socket);
  const status = answer.text.slice(9, 12);
  byStatus[status] = (byStatus[status] ?? 0) + 1;
  const tookMs = performance.now() - answer.since;
  if (status === '200') {
    if (tookMs <= patienceMs) acceptedMs.push(tookMs);
  } else {
    refusedMs.push(tookMs);
    if (!/^retry-after: /im.test(answer.text)) withoutRetryAfter++;
  }
  free.push(socket);
  if (load.perSecond === 0) sendDue();
}
