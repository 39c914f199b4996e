/** An S3 server on loopback for tests: s3rver behind a proxy that adds unsupported calls and plays faults. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type S3rver from 's3rver';
import type { S3Location } from '../../src/domain/s3-location.ts';
import { type Call, callOf, type Fault, type Script } from './faults.ts';
import {
  findUploads,
  openUnsupportedCalls,
  type Reply,
  refusal,
  type UnsupportedCalls,
} from './unsupported-calls.ts';

export interface TestS3 {
  /** Bucket, prefix, endpoint and credentials, as a gateway is configured with them. */
  readonly location: S3Location;
  /** The same as settings of a gateway process. */
  readonly env: Readonly<Record<string, string>>;
  /** Every call since the start, those that met a fault included. */
  readonly calls: readonly Call[];
  /** Number of calls whose answers have not ended. */
  openCalls(): number;
  /** Plays the faults of this script from now on; null ends them. */
  play(script: Script | null): void;
  /** The names of all objects, sorted. */
  objects(): Promise<readonly string[]>;
  /** Names of multipart uploads that were begun and neither completed nor aborted. */
  unfinished(): Promise<readonly string[]>;
  /** Moves the times of all objects and unfinished uploads back. */
  age(ms: number): Promise<void>;
  /** Adds an object and an unfinished upload, as a killed process leaves them. */
  leave(names: { readonly object: string; readonly upload: string }): Promise<void>;
  /** Deletes the object without a call, or truncates it to `leftBytes`. */
  lose(name: string, leftBytes?: number): Promise<void>;
  close(): Promise<void>;
}

const bucket = 'atelier-tests';
const key = 'S3RVER';
/** Longer than a starved machine takes for eight megabytes. */
const writeTimeoutMs = 60_000;

/** Starts with an empty bucket in a temporary folder, which `close` removes. */
export async function startS3(prefix = 'blobs/'): Promise<TestS3> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-s3-'));
  // Loading it takes a tenth of a second, and most tests keep their blobs in a folder.
  const { default: Server } = await import('s3rver');
  const server = new Server({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  const { store } = server;
  const calls: Call[] = [];
  let script: Script | null = null;
  let openCalls = 0;
  const backend = { store, port, unsupported: openUnsupportedCalls(store, bucket) };
  const proxy = createServer((incoming, answer) => {
    const url = new URL(incoming.url ?? '/', 'http://s3.test');
    const call = callOf(incoming.method ?? '', url, incoming.headers.range);
    calls.push(call);
    openCalls++;
    answer.on('close', () => openCalls--);
    const exchange = { incoming, answer, url, call, fault: script?.(call) ?? null };
    // The message alone, once it is read, would leave its sender without an answer.
    serve(backend, exchange).catch(() => incoming.socket.destroy());
  });
  const endpoint = await listen(proxy);
  const credentials = { accessKeyId: key, secretAccessKey: key };
  const pathOf = (name: string) => store.getResourcePath(bucket, name, 'object');
  const namesIn = async () => (await store.listObjects(bucket, {})).objects.map(object => object.key);
  return {
    location: { bucket, prefix, endpoint, region: 'us-east-1', credentials },
    env: {
      ATELIER_BLOBS_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=us-east-1`,
      AWS_ACCESS_KEY_ID: key,
      AWS_SECRET_ACCESS_KEY: key,
    },
    calls,
    openCalls: () => openCalls,
    play: wanted => {
      script = wanted;
    },
    objects: async () => (await namesIn()).toSorted(),
    unfinished: async () => (await findUploads(store, bucket)).map(upload => upload.name),
    async age(ms) {
      const at = new Date(Date.now() - ms);
      for (const name of await namesIn()) await utimes(pathOf(name), at, at);
      const uploads = store.getResourcePath(bucket, undefined, 'uploads');
      for (const { id } of await findUploads(store, bucket)) await utimes(join(uploads, id, 'key'), at, at);
    },
    async leave({ object, upload }) {
      await writeFile(pathOf(object), 'left');
      const left = join(store.getResourcePath(bucket, undefined, 'uploads'), 'left');
      await mkdir(left, { recursive: true });
      await writeFile(join(left, 'key'), upload);
    },
    async lose(name, leftBytes) {
      if (leftBytes === undefined) await rm(pathOf(name));
      else await truncate(pathOf(name), leftBytes);
    },
    async close() {
      proxy.close();
      proxy.closeAllConnections();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the proxy passes calls to. */
interface Backend {
  readonly store: S3rver['store'];
  readonly port: number;
  readonly unsupported: UnsupportedCalls;
}

/** One call, its answer, and the fault that it meets. */
interface Exchange {
  readonly incoming: IncomingMessage;
  readonly answer: ServerResponse;
  readonly url: URL;
  readonly call: Call;
  readonly fault: Fault | null;
}

async function serve(backend: Backend, exchange: Exchange): Promise<void> {
  const { incoming, answer, url, call, fault } = exchange;
  if (fault?.kind === 'hang') return void incoming.resume();
  if (fault?.kind === 'reset') return void incoming.socket.resetAndDestroy();
  const body = Buffer.concat(await incoming.toArray());
  if (fault?.kind === 'refuse') return reply(answer, refusal(fault.status, fault.code));
  if (fault?.kind === 'answer') return reply(answer, { status: 200, xml: fault.xml });
  if (fault?.kind === 'corrupt') body[0] = (body[0] ?? 0) ^ 1;
  if (!hasSignedBody(incoming, body)) return reply(answer, refusal(400, 'XAmzContentSHA256Mismatch'));
  const handled = await backend.unsupported(call, url.searchParams);
  if (handled) return reply(answer, handled);
  await passOn(backend, exchange, body);
}

/** s3rver does not verify the hash; a real server refuses a body that was changed in transit. */
function hasSignedBody({ headers }: IncomingMessage, body: Buffer): boolean {
  return headers['x-amz-content-sha256'] === createHash('sha256').update(body).digest('hex');
}

/** Sends the call to s3rver and its answer back, with the faults that meet it after the work is done. */
async function passOn(
  { store, port }: Backend,
  { incoming, answer, url, call, fault }: Exchange,
  body: Buffer,
): Promise<void> {
  const { method, headers, url: path } = incoming;
  const target = writtenBy(store, call, url.searchParams);
  const bytes = call.operation === 'complete' ? await bytesOfParts(store, url.searchParams) : body.length;
  const passed = request({ host: '127.0.0.1', port, method, path, headers }).end(body);
  const [received] = await once(passed, 'response');
  if (target !== null && received.statusCode === 200) {
    await untilWritten(target, bytes);
    if (fault?.kind === 'shorten') await truncate(target, Math.max(0, (await stat(target)).size - 1));
  }
  if (fault?.kind === 'lose') return void incoming.socket.resetAndDestroy();
  answer.writeHead(received.statusCode ?? 500, received.headers);
  // A client that disconnects ends the answer at its source.
  if (fault?.kind !== 'cut') return pipeline(received, answer);
  let left = fault.bytes;
  for await (const chunk of received) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    await new Promise(resolve => answer.write(part, resolve));
    if (left === 0) break;
  }
  incoming.socket.resetAndDestroy();
}

/** The file that the call writes; null where it writes none. */
function writtenBy(store: S3rver['store'], { operation, name }: Call, query: URLSearchParams): string | null {
  if (operation === 'put' || operation === 'complete') return store.getResourcePath(bucket, name, 'object');
  if (operation !== 'part') return null;
  const uploads = store.getResourcePath(bucket, undefined, 'uploads');
  return join(uploads, query.get('uploadId') ?? '', query.get('partNumber') ?? '');
}

/** The length of the completed object: the sum of its uploaded parts. */
async function bytesOfParts(store: S3rver['store'], query: URLSearchParams): Promise<number> {
  const folder = join(store.getResourcePath(bucket, undefined, 'uploads'), query.get('uploadId') ?? '');
  const parts = (await readdir(folder)).filter(name => /^\d+$/.test(name));
  const found = await Promise.all(parts.map(name => stat(join(folder, name))));
  return found.reduce((sum, { size }) => sum + size, 0);
}

/** s3rver answers before its last bytes are written, or even the file is there; a real server does not. */
async function untilWritten(path: string, bytes: number): Promise<void> {
  const endsAt = performance.now() + writeTimeoutMs;
  while ((await stat(path).catch(() => null))?.size !== bytes) {
    if (performance.now() > endsAt) throw new Error(`${path} was not written within ${writeTimeoutMs} ms`);
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

function reply(answer: ServerResponse, { status, xml }: Reply): void {
  answer.writeHead(status, { 'content-type': 'application/xml' }).end(xml);
}

/** The address of the proxy. */
async function listen(proxy: Server): Promise<string> {
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
