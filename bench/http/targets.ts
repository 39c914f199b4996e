/** The servers that the throughput benchmark compares: Atelier, the framework alone, and assembled gateways. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstKeyIn } from '../../testkit/gateway/program.ts';
import { startRedis } from '../assembled/redis.ts';
import { start } from '../kit/servers.ts';
import type { Load } from './load.ts';

/** A request of the load; its rate and duration are set by the benchmark. */
export type Request = Pick<Load, 'url' | 'method' | 'headers' | 'body'>;

/** A server in its own process, and its two requests. */
export interface Target {
  readonly name: string;
  readonly create: Request;
  readonly status: Request;
  /** Stops the server and the database that was started for it. */
  end(): Promise<void>;
}

const model = 'gamma-v3-image';
const json = { 'content-type': 'application/json' };

/** A create of 600 bytes with ten fields that every gate admits. */
export const body = creation(600);

/** A body of exactly so many bytes: the prompt fills the rest. */
function creation(bytes: number): string {
  const fields = {
    prompt: '',
    negative_prompt: 'people, boats, birds, text',
    image: 'https://files.example.com/portrait.png',
    n: 2,
    resolution: '1k',
    aspect_ratio: '16:9',
    image_reference: 'subject',
    element_list: [{ element_id: 1 }],
    watermark_info: { enabled: false },
    callback_url: 'https://hooks.example.com/atelier',
  };
  const words = 'A lighthouse above the sea at dusk. '.repeat(20);
  return JSON.stringify({ ...fields, prompt: words.slice(0, bytes - JSON.stringify(fields).length) });
}

/** The framework without a queue. */
export async function openFrameworkAlone(): Promise<Target> {
  const { url, end } = await start(['bench/http/framework-alone.ts'], {});
  return {
    name: 'Fastify alone',
    create: { url: `${url}/create`, method: 'POST', headers: json, body },
    status: { url: `${url}/status`, method: 'GET', headers: {} },
    end,
  };
}

/**
 * The floor: the framework, the validation by the model, and the store; nothing else. `place` is a folder, or the URL of
 * a PostgreSQL database.
 */
export async function openFloor(name: string, place: string): Promise<Target> {
  const { url, end } = await start(['bench/http/floor.ts', place], {});
  return { name: `Floor, ${name}`, ...(await requestsTo(url, '')), end };
}

/** Atelier without a worker: its jobs wait. */
export async function openGateway(
  name: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
  prices?: unknown,
): Promise<Target> {
  const settings = join(folder, `${name}.yaml`);
  const limits = {
    queue: { per_second: 1_000_000, burst: 10_000_000 },
    waiting: { per_key: 100_000_000, in_all: 100_000_000 },
    connections_per_address: 10_000,
  };
  await writeFile(settings, JSON.stringify({ limits, prices }));
  const { url, banner, end } = await start(['bin/atelier.js', 'serve', '--role', 'api'], {
    ATELIER_DATA_DIR: join(folder, name),
    ATELIER_CONFIG: settings,
    ...env,
  });
  return { name: `Atelier, ${name}`, ...(await requestsTo(url, firstKeyIn(banner))), end };
}

/** The same with prices and a limit, so that every create reserves its amount. */
export async function openGatewayWithBudget(
  name: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Target> {
  const token = 'the-admin-token-of-this-very-benchmark';
  const prices = { currency: 'USD', hold: true, models: { [model]: { image: 0.04 } } };
  const target = await openGateway(name, folder, { ...env, ATELIER_ADMIN_TOKEN: token }, prices);
  const answer = await fetch(new URL('/admin/v1/projects/default/limit', target.create.url), {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, ...json },
    body: JSON.stringify({ limit: '900000000', monthly: true }),
  });
  if (!answer.ok) throw new Error(`expected a limit, got ${answer.status} ${await answer.text()}`);
  return target;
}

/** BullMQ on a Redis that is started for it; null where there is no redis-server. */
export async function openBullmq(folder: string): Promise<Target | null> {
  const redis = await startRedis(join(folder, 'redis'));
  if (!redis) return null;
  const { url, end } = await start(['bench/assembled/bullmq.ts', String(redis.port)], { KEY: 'a key' });
  return {
    name: 'Fastify + BullMQ',
    ...(await requestsTo(url, 'a key')),
    async end() {
      await end();
      await redis.close();
    },
  };
}

/** pg-boss in an existing database. */
export async function openPgBoss(databaseUrl: string): Promise<Target> {
  const { url, end } = await start(['bench/assembled/pg-boss.ts', databaseUrl], { KEY: 'a key' });
  return { name: 'Fastify + pg-boss', ...(await requestsTo(url, 'a key')), end };
}

/** A create, and the status of a first job. */
async function requestsTo(base: string, key: string): Promise<Pick<Target, 'create' | 'status'>> {
  const url = `${base}/v1/queue/${model}`;
  const headers = { authorization: `Bearer ${key}`, ...json };
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`expected a handle, got ${answer.status} ${await answer.text()}`);
  const handle = (await answer.json()) as { readonly status_url: string };
  return {
    create: { url, method: 'POST', headers, body },
    status: { url: handle.status_url, method: 'GET', headers },
  };
}
