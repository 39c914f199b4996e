/** The gateway in the process of a test: a folder, a port, a clock and keys of its own. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { pino } from 'pino';
import { openPasswords } from '../../src/admission/passwords.ts';
import { type Gateway, openGateway, type TestOverrides } from '../../src/app/gateway.ts';
import { openStore } from '../../src/app/open-store.ts';
import { readConfig } from '../../src/config/config.ts';
import { minutes } from '../../src/domain/clock.ts';
import { createKey, type NewKey } from '../../src/store/people/keys.ts';
import { openTestClock, type TestClock } from '../clock.ts';
import { copyMigrated, type Dialect, makeDatabase, type TestDatabase } from '../databases/databases.ts';
import { startS3, type TestS3 } from '../s3/server.ts';
import { isFleet, openFleetGateway } from './fleet-gateway.ts';
import { openSharedEngine } from './shared-engine.ts';

/**
 * The whole program in this process: a folder of its own, any free port, a clock that can be put forward. In a
 * fleet, as many processes behind one port, on PostgreSQL and a bucket, whatever the test asks for.
 */
export interface TestGateway {
  readonly gateway: Gateway;
  readonly url: string;
  readonly clock: TestClock;
  readonly folder: string;
  /** Where this gateway keeps bytes on their way: spool, work, render. Of a fleet, its first process. */
  readonly local: string;
  /** Null: SQLite in the folder. */
  readonly database: TestDatabase | null;
  /** Null: blobs in the folder. */
  readonly s3: TestS3 | null;
  /** What the program logged, parsed. */
  readonly logged: readonly Record<string, unknown>[];
  /** A new key, of a new user unless one is named. */
  key(wanted?: Partial<NewKey>): Promise<string>;
  /** Asks with a key; the body is sent as JSON unless it is a string, bytes or a form. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>;
  /** Files in the spool and in the blob folder or bucket. */
  keptFiles(): Promise<readonly string[]>;
  /** Ends the program and keeps its folder and database, for one that is started `after` it. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface AskOptions {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; the text where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
  readonly body: any;
}

export interface TestGatewayOptions {
  readonly dialect?: Dialect;
  /** api: jobs wait for ever, for tests of waiting jobs. */
  readonly role?: 'api' | 'worker' | 'all';
  /** s3: on a server of its own. */
  readonly blobs?: 'folder' | 's3';
  /** For tests of what one process counts or keeps: never a fleet. */
  readonly isAlone?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Of a gateway in this process: hashes of passwords, which are cheap unless it is said otherwise. */
  readonly openPasswords?: typeof openPasswords;
  /** Of a gateway in this process: it reserves as much space for a full disk as one in use, not a little. */
  readonly hasWholeReserve?: boolean;
  /** Of a gateway in this process; one that runs unless it is given. */
  readonly clock?: TestClock;
  /** Takes over the folder, the database, the bucket and the clock of a gateway that was stopped. */
  readonly after?: Pick<TestGateway, 'folder' | 'database' | 'clock'> & Partial<Pick<TestGateway, 's3'>>;
}

/** Safe enough for tests. */
export const cheapPasswords = { N: 1024, r: 8, p: 1 };
/** A run of tests opens a thousand gateways, and most of them put their clock forward to the check that writes it. */
const littleReserveBytes = 4096;
const openCheapPasswords = () => openPasswords({ cost: cheapPasswords });

let users = 0;

export async function startGateway({
  dialect = 'sqlite',
  role = 'all',
  blobs = 'folder',
  isAlone = !isFleet,
  env = {},
  openPasswords: openOwn = openCheapPasswords,
  clock: ownClock,
  hasWholeReserve = false,
  after,
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const isPostgres = !isAlone || dialect === 'postgres';
  const hasBucket = !isAlone || blobs === 's3';
  const database = after ? after.database : isPostgres ? await makeDatabase('postgres') : null;
  const folder = after?.folder ?? (await mkdtemp(join(tmpdir(), 'atelier-gateway-')));
  if (!after && database === null) await copyMigrated(folder);
  const s3 = after ? (after.s3 ?? null) : hasBucket ? await startS3() : null;
  const settings = {
    ATELIER_PORT: '0',
    ATELIER_ALLOW_PRIVATE_NETWORK: '1',
    ATELIER_LOCAL_CONCURRENCY: isAlone ? '2' : '1',
    ...(role === 'worker' && { ATELIER_PUBLIC_URL: 'http://gateway.test' }),
    ...(database?.url && { ATELIER_DATABASE_URL: database.url }),
    ...s3?.env,
    ...env,
  };
  const opened = isAlone
    ? await openHere(
        { ...settings, ATELIER_ROLE: role, ATELIER_DATA_DIR: folder },
        {
          openPasswords: openOwn,
          openEngine: openSharedEngine,
          ...(!hasWholeReserve && { diskReserveBytes: littleReserveBytes }),
        },
        after?.clock ?? ownClock,
      )
    : await openFleetGateway({ folder, role, env: settings });
  const { gateway, clock, locals } = opened;
  return {
    gateway,
    url: gateway.listensAt,
    clock,
    folder,
    local: locals[0] ?? '',
    database,
    s3,
    get logged() {
      return opened.logged();
    },
    key: async (wanted = {}) => {
      const key = { userName: `user-${++users}`, name: null, models: null, expiresAt: null, ...wanted };
      return (await createKey(gateway.db, key, clock.now())).secret;
    },
    ask: (method, path, options) => ask(gateway.listensAt, method, path, options),
    keptFiles: async () => [
      ...(await Promise.all(locals.map(local => filesIn(join(local, 'spool'))))).flat(),
      ...(s3 ? await blobsIn(s3) : await filesIn(join(folder, 'blobs'))),
    ],
    stop: () => gateway.close(),
    async close() {
      await gateway.close();
      await s3?.close();
      await database?.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Alone, in this process. */
async function openHere(
  env: Readonly<Record<string, string>>,
  changed: Omit<TestOverrides, 'openStore'>,
  clock: TestClock = openTestClock(),
) {
  const config = readConfig(env);
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: line => void logged.push(JSON.parse(line)) });
  const overrides = { openStore, ...changed, verifiesDeclarations: true };
  const file = env.ATELIER_CONFIG;
  const read = (path?: string) => readConfig({ ...env, ...(path && { ATELIER_CONFIG: path }) });
  const source = file === undefined ? null : { path: file, read, announce: () => {} };
  const gateway = await openGateway(config, log, clock, overrides, { ...(source && { source }) });
  const [own = ''] = await readdir(join(config.dataDir, 'run'));
  return { gateway, clock, locals: [join(config.dataDir, 'run', own)], logged: () => logged };
}

export async function ask(
  url: string,
  method: string,
  path: string,
  { key, body, headers = {} }: AskOptions = {},
): Promise<Answer> {
  const isRaw =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
  const sent = body === undefined ? undefined : isRaw ? (body as BodyInit) : JSON.stringify(body);
  const allHeaders = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(!(body instanceof FormData) && body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  const target = new URL(path, url);
  if ((typeof sent === 'string' || sent instanceof Uint8Array) && sent.length > largeBody)
    return sendLarge(target, method, allHeaders, sent);
  const answer = await fetch(target, {
    method,
    redirect: 'manual',
    headers: allHeaders,
    ...(sent !== undefined && { body: sent }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: parse(text) };
}

/** Bytes or characters. */
const largeBody = 1024 * 1024;

/** By the client of node:http: fetch copies a body several times, which takes longer than the gateway does. */
function sendLarge(
  target: URL,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const length = { 'content-length': Buffer.byteLength(body) };
  const sending = request(target, { method, headers: { ...headers, ...length } }, answer => {
    const fields = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    readText(answer).then(
      text => resolve({ status: answer.statusCode ?? 0, headers: new Headers(fields), body: parse(text) }),
      reject,
    );
  });
  sending.on('error', reject);
  sending.end(body);
  return promise;
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Nothing where there is no such folder: who only works has no spool. */
async function filesIn(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}

const blobsIn = async (s3: TestS3): Promise<readonly string[]> =>
  (await s3.objects()).filter(name => name !== `${s3.location.prefix}owner`);

/** Longer than any fact takes on a machine whose processors are all in use by other programs. */
export const patienceMs = 3 * minutes;

/** Asks until the fact holds; the wait ends by itself. */
export async function until<T>(
  look: () => Promise<T | null | undefined | false>,
  what: string,
  ms = patienceMs,
): Promise<T> {
  const endsAt = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > endsAt) throw new Error(`waited ${ms} ms for ${what}`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

/**
 * Asks until the fact holds, and advances the clock by `stepMs` before each look: a periodic task that runs while the
 * clock is advanced sleeps for its whole interval afterwards, so that a single step can be lost.
 */
export const untilAdvanced = <T>(
  clock: TestClock,
  stepMs: number,
  look: () => Promise<T | null | undefined | false>,
  what: string,
): Promise<T> =>
  until(() => {
    clock.advance(stepMs);
    return look();
  }, what);
