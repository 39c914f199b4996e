/** A load generator: sends requests at a steady rate and prints what came of them. */
import { connect, type Socket } from 'node:net';

/**
 * Offers requests at a steady rate, whatever becomes of them, and ends with one line of JSON; at the rate 0 each
 * connection asks again as soon as it is answered. A program of its own, on bare sockets: it must be able to
 * ask for far more than a gateway gives.
 */
export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** 0: each connection asks again at once. */
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
}

const load: Load = JSON.parse(process.argv[2] ?? '');
const { hostname, port } = new URL(load.url);
const request = asBytes(load);
/** Whoever is not answered after this long has gone. */
const patienceMs = 2000;
const everyMs = 2;

/** What came of the offers of one run. */
export interface Offered {
  readonly offered: number;
  /** Not even sent: every connection was waiting for an answer. */
  readonly turnedAway: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** Accepted before their client lost patience. */
  readonly accepted: number;
  /** Milliseconds from the moment of the offer, of those. */
  readonly acceptedMs: readonly number[];
  /** Milliseconds, of those that were refused. */
  readonly refusedMs: readonly number[];
  /** Refusals without Retry-After. */
  readonly rude: number;
  /** What this program itself used, in CPU seconds of one core. */
  readonly cpuSeconds: number;
}

const free: Socket[] = [];
/** What came of each answer that is not whole. */
const pending = new Map<Socket, { readonly since: number; text: string }>();
const byStatus: Record<string, number> = {};
const acceptedMs: number[] = [];
const refusedMs: number[] = [];
let offered = 0;
let turnedAway = 0;
let rude = 0;

const sockets = await Promise.all(Array.from({ length: load.connections }, open));
free.push(...sockets);
const begun = performance.now();
const endsAt = begun + load.seconds * 1000;
const offering = setInterval(offer, everyMs);

function offer(): void {
  const now = performance.now();
  const due =
    load.perSecond > 0
      ? Math.floor(((Math.min(now, endsAt) - begun) / 1000) * load.perSecond)
      : offered + (now < endsAt ? free.length : 0);
  for (; offered < due; offered++) {
    const socket = free.pop();
    if (socket) ask(socket, now);
    else turnedAway++;
  }
  if (now < endsAt || (pending.size > 0 && now < endsAt + patienceMs)) return;
  clearInterval(offering);
  for (const socket of sockets) socket.destroy();
  const { user, system } = process.cpuUsage();
  const told: Offered = {
    offered,
    turnedAway,
    byStatus,
    accepted: acceptedMs.length,
    acceptedMs,
    refusedMs,
    rude,
    cpuSeconds: (user + system) / 1e6,
  };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

function ask(socket: Socket, since: number): void {
  pending.set(socket, { since, text: '' });
  socket.write(request);
}

function asBytes({ url, method, headers, body = '' }: Load): Buffer {
  const { host, pathname } = new URL(url);
  const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${pathname} HTTP/1.1`, ...lines, '', body].join('\r\n'));
}

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.setEncoding('latin1').on('data', (text: string) => take(socket, text));
    socket.on('error', reject);
  });
}

/** The answer is whole once as much came as it says. */
function take(socket: Socket, text: string): void {
  const asked = pending.get(socket);
  if (!asked) return;
  asked.text += text;
  const headEnd = asked.text.indexOf('\r\n\r\n');
  const length = Number(/^content-length: (\d+)/im.exec(asked.text)?.[1]);
  if (headEnd < 0 || asked.text.length < headEnd + 4 + length) return;
  pending.delete(socket);
  const status = asked.text.slice(9, 12);
  byStatus[status] = (byStatus[status] ?? 0) + 1;
  const tookMs = performance.now() - asked.since;
  if (status === '200') {
    if (tookMs <= patienceMs) acceptedMs.push(tookMs);
  } else {
    refusedMs.push(tookMs);
    if (!/^retry-after: /im.test(asked.text)) rude++;
  }
  free.push(socket);
  if (load.perSecond === 0) offer();
}
