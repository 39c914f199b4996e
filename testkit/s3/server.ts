/** An S3 server on this machine that can fail as a test wants. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import S3rver from 's3rver';
import type { S3Location } from '../../src/domain/s3-location.ts';
import { type Call, callOf, type Fault, type Script } from './faults.ts';
import { findUploads, type Lacking, openLacking, type Reply, refusal } from './lacking.ts';

/** A real S3 server on loopback: s3rver, behind a door that adds what it lacks and plays its troubles. */
export interface TestS3 {
  /** Where a gateway keeps its blobs. */
  readonly place: S3Location;
  readonly env: Readonly<Record<string, string>>;
  /** Every call since the start, those that a fault met included. */
  readonly calls: readonly Call[];
  /** Calls whose answers have not ended. */
  underWay(): number;
  /** Plays faults from now on; null ends them. */
  play(script: Script | null): void;
  /** Every object's name, sorted. */
  objects(): Promise<readonly string[]>;
  /** Names of uploads that were begun and not ended. */
  unfinished(): Promise<readonly string[]>;
  /** Makes whatever lies there, objects and unfinished uploads, older. */
  age(ms: number): Promise<void>;
  /** What a process leaves that is killed: an object, and an upload that was begun. */
  leave(names: { readonly object: string; readonly upload: string }): Promise<void>;
  /** Behind everyone's back: the object is gone, or as long as that. */
  lose(name: string, leftBytes?: number): Promise<void>;
  close(): Promise<void>;
}

const bucket = 'atelier-tests';
const key = 'S3RVER';

export async function startS3(prefix = 'blobs/'): Promise<TestS3> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-s3-'));
  const server = new S3rver({
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
  let underWay = 0;
  const rooms = { store, port, lacking: openLacking(store, bucket) };
  const door = createServer((asked, answer) => {
    const url = new URL(asked.url ?? '/', 'http://s3.test');
    const call = callOf(asked.method ?? '', url, asked.headers.range);
    calls.push(call);
    underWay++;
    answer.on('close', () => underWay--);
    conduct(rooms, { asked, answer, url, call, fault: script?.(call) ?? null }).catch(() => asked.destroy());
  });
  const endpoint = await listen(door);
  const credentials = { accessKeyId: key, secretAccessKey: key };
  const pathOf = (name: string) => store.getResourcePath(bucket, name, 'object');
  const namesIn = async () => (await store.listObjects(bucket, {})).objects.map(object => object.key);
  return {
    place: { bucket, prefix, endpoint, region: 'us-east-1', credentials },
    env: {
      ATELIER_BLOBS_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=us-east-1`,
      AWS_ACCESS_KEY_ID: key,
      AWS_SECRET_ACCESS_KEY: key,
    },
    calls,
    underWay: () => underWay,
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
      door.close();
      door.closeAllConnections();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Rooms {
  readonly store: S3rver['store'];
  readonly port: number;
  readonly lacking: Lacking;
}

interface Visit {
  readonly asked: IncomingMessage;
  readonly answer: ServerResponse;
  readonly url: URL;
  readonly call: Call;
  readonly fault: Fault | null;
}

async function conduct(rooms: Rooms, visit: Visit): Promise<void> {
  const { asked, answer, url, call, fault } = visit;
  if (fault?.kind === 'hang') return void asked.resume();
  if (fault?.kind === 'reset') return void asked.socket.resetAndDestroy();
  const body = Buffer.concat(await asked.toArray());
  if (fault?.kind === 'refuse') return reply(answer, refusal(fault.status, fault.code));
  if (fault?.kind === 'answer') return reply(answer, { status: 200, xml: fault.xml });
  if (fault?.kind === 'corrupt') body[0] = (body[0] ?? 0) ^ 1;
  if (!isAsSigned(asked, body)) return reply(answer, refusal(400, 'XAmzContentSHA256Mismatch'));
  const own = await rooms.lacking(call, url.searchParams);
  if (own) return reply(answer, own);
  await passOn(rooms, visit, body);
}

/** s3rver does not look; a real server refuses what was changed on its way. */
function isAsSigned({ headers }: IncomingMessage, body: Buffer): boolean {
  return headers['x-amz-content-sha256'] === createHash('sha256').update(body).digest('hex');
}

async function passOn(
  { store, port }: Rooms,
  { asked, answer, url, call, fault }: Visit,
  body: Buffer,
): Promise<void> {
  const { method, headers, url: path } = asked;
  const target = writtenBy(store, call, url.searchParams);
  const bytes = call.operation === 'complete' ? await bytesOfParts(store, url.searchParams) : body.length;
  const passed = request({ host: '127.0.0.1', port, method, path, headers }).end(body);
  const [given] = await once(passed, 'response');
  if (target !== null && given.statusCode === 200) {
    await untilLong(target, bytes);
    if (fault?.kind === 'shorten') await truncate(target, Math.max(0, (await stat(target)).size - 1));
  }
  if (fault?.kind === 'lose') return void asked.socket.resetAndDestroy();
  answer.writeHead(given.statusCode ?? 500, given.headers);
  // Whoever goes away ends the answer at its source.
  if (fault?.kind !== 'cut') return pipeline(given, answer);
  let left = fault.bytes;
  for await (const chunk of given) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    await new Promise(resolve => answer.write(part, resolve));
    if (left === 0) break;
  }
  asked.socket.resetAndDestroy();
}

/** The file that an answer says is written. */
function writtenBy(store: S3rver['store'], { operation, name }: Call, query: URLSearchParams): string | null {
  if (operation === 'put' || operation === 'complete') return store.getResourcePath(bucket, name, 'object');
  if (operation !== 'part') return null;
  const uploads = store.getResourcePath(bucket, undefined, 'uploads');
  return join(uploads, query.get('uploadId') ?? '', query.get('partNumber') ?? '');
}

async function bytesOfParts(store: S3rver['store'], query: URLSearchParams): Promise<number> {
  const folder = join(store.getResourcePath(bucket, undefined, 'uploads'), query.get('uploadId') ?? '');
  const parts = (await readdir(folder)).filter(name => /^\d+$/.test(name));
  const found = await Promise.all(parts.map(name => stat(join(folder, name))));
  return found.reduce((sum, { size }) => sum + size, 0);
}

/** s3rver answers before its last bytes are written; a real server does not. */
async function untilLong(path: string, bytes: number): Promise<void> {
  while ((await stat(path)).size !== bytes) await new Promise(resolve => setTimeout(resolve, 5));
}

function reply(answer: ServerResponse, { status, xml }: Reply): void {
  answer.writeHead(status, { 'content-type': 'application/xml' }).end(xml);
}

async function listen(door: Server): Promise<string> {
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
}
