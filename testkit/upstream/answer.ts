/** Sends an answer of a scripted upstream: the true one, or one that an act of the script spoils. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { Act, ResetPoint } from './script.ts';

/** The answer without faults. */
export interface Truth {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export const jsonAnswer = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Truth => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(body)),
});

/** Sends the true answer, or plays the act instead. Resolves once everything is sent. */
export async function answer(response: ServerResponse, truth: Truth, act: Act | null): Promise<void> {
  switch (act?.kind) {
    case undefined:
      return whole(response, truth);
    case 'answer':
      return whole(response, { status: act.status, headers: act.headers, body: Buffer.from(act.body) });
    case 'change':
      return whole(response, changed(truth, act.set));
    case 'cut':
      return whole(response, { ...truth, body: truth.body.subarray(0, truth.body.length >> 1) });
    case 'reset': {
      const socket = socketOf(response);
      const sent = asBytes(truth).subarray(0, bytesBefore(act.at, truth));
      if (sent.length > 0) await new Promise(resolve => socket.write(sent, resolve));
      socket.resetAndDestroy();
      return;
    }
    case 'silence':
      return;
    case 'drip': {
      const socket = socketOf(response);
      for (const byte of asBytes(truth)) {
        if (socket.destroyed) return;
        socket.write(Buffer.of(byte));
        await sleep(act.everyMs, undefined, { ref: false });
      }
      return;
    }
    case 'endless':
      response.writeHead(200, { 'content-type': truth.headers['content-type'] ?? 'application/json' });
      await writeSpaces(response, Number.POSITIVE_INFINITY);
      return;
    case 'bomb': {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      const zipped = await zippedSpaces(act.megabytes);
      response.writeHead(200, headers).write(zipped);
      response.end();
      return;
    }
    default: {
      const impossible: never = act;
      throw new Error(`expected an act, got ${JSON.stringify(impossible)}`);
    }
  }
}

function whole(response: ServerResponse, { status, headers, body }: Truth): void {
  response.writeHead(status, { ...headers, 'content-length': String(body.length) }).end(body);
}

function changed(truth: Truth, set: Readonly<Record<string, unknown>>): Truth {
  const members = Object.entries({ ...JSON.parse(truth.body.toString()), ...set });
  const kept = members.filter(([name]) => set[name] !== null);
  return { ...truth, body: Buffer.from(JSON.stringify(Object.fromEntries(kept))) };
}

/** The connection itself: acts write bytes on it that an HTTP server would not send. */
function socketOf({ socket }: ServerResponse): Socket {
  if (!socket) throw new Error('expected the request to have its connection');
  return socket;
}

/** The whole answer as it is sent over the connection. */
export function asBytes({ status, headers, body }: Truth): Buffer {
  return Buffer.concat([Buffer.from(headOf(status, headers, body.length)), body]);
}

function headOf(status: number, headers: Truth['headers'], bodyBytes: number): string {
  const lines = Object.entries({ ...headers, 'content-length': bodyBytes }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** How many bytes are sent before the reset. */
export function bytesBefore(at: ResetPoint, truth: Truth): number {
  const all = asBytes(truth).length;
  switch (at) {
    case 'nothing':
      return 0;
    case 'first-byte':
      return 1;
    case 'headers':
      return all - truth.body.length;
    case 'half-body':
      return all - truth.body.length + (truth.body.length >> 1);
    case 'all-but-last-byte':
      return all - 1;
  }
}

const megabyte = Buffer.alloc(1024 * 1024, ' ');

const zippedBySize = new Map<number, Promise<Buffer>>();

/** Gzipped spaces, made once per size: hundreds of megabytes take seconds. */
function zippedSpaces(megabytes: number): Promise<Buffer> {
  const zipped = zippedBySize.get(megabytes) ?? zipSpaces(megabytes);
  zippedBySize.set(megabytes, zipped);
  return zipped;
}

async function zipSpaces(megabytes: number): Promise<Buffer> {
  const gzip = createGzip();
  const zipped = buffer(gzip);
  await writeSpaces(gzip, megabytes);
  gzip.end();
  return zipped;
}

/** Writes spaces as fast as the other side reads them, until it closes the connection. */
async function writeSpaces(
  into: NodeJS.WritableStream & { destroyed?: boolean },
  megabytes: number,
): Promise<void> {
  for (let written = 0; written < megabytes && !into.destroyed; written++) {
    await new Promise<void>(resolve => {
      if (into.write(megabyte)) return resolve();
      const done = () => {
        into.off('drain', done).off('close', done);
        resolve();
      };
      into.on('drain', done).on('close', done);
    });
  }
}
