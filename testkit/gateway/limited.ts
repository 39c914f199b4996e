/** A gateway with given limits, its metrics, and requests that stay open. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Answer,
  parse,
  startGateway,
  type TestGateway,
  type TestGatewayOptions,
  until,
} from './gateway.ts';

/** A gateway with these `limits`, and without a worker. */
export async function startLimited(
  limits: Readonly<Record<string, unknown>>,
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-limits-'));
  try {
    const path = join(folder, 'atelier.yaml');
    // JSON is YAML.
    await writeFile(path, JSON.stringify({ limits }));
    return await startGateway({
      role: 'api',
      ...options,
      env: { ...options.env, ATELIER_CONFIG: path },
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A figure of /metrics; 0 where it was never counted. */
export async function figureOf(gateway: TestGateway, name: string): Promise<number> {
  const { body } = await gateway.ask('GET', '/metrics');
  const line = String(body)
    .split('\n')
    .find(text => text.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

/** Waits until a figure of /metrics has that value. */
export const untilFigure = (
  gateway: TestGateway,
  name: string,
  value: number,
  what: string,
): Promise<unknown> => until(async () => (await figureOf(gateway, name)) === value, what);

export const refusedFor = (reason: string): string => `atelier_refused_total{reason="${reason}"}`;

/** Waits until so many bytes are set aside for bodies. */
export const untilHeld = (gateway: TestGateway, bytes: number): Promise<unknown> =>
  untilFigure(gateway, 'atelier_body_bytes', bytes, `${bytes} bytes of bodies to be reserved`);

/** Waits until so many requests wait for a change of a job. */
export const untilWaiting = (gateway: TestGateway, requests: number): Promise<unknown> =>
  untilFigure(gateway, 'atelier_waiting_requests', requests, `${requests} requests to wait`);

/** A POST whose body the test writes piece by piece. */
export interface OpenPost {
  write(piece: string | Uint8Array): Promise<void>;
  end(): void;
  abort(): void;
  /** The answer; null when the connection ended without one. */
  readonly answered: Promise<Answer | null>;
  /** Resolves once the connection is gone. */
  readonly closed: Promise<void>;
}

export function openPost(
  gateway: TestGateway,
  path: string,
  headers: Readonly<Record<string, string | number>>,
): OpenPost {
  const out = request(new URL(path, gateway.url), { method: 'POST', headers, agent: false });
  out.flushHeaders();
  const closed = new Promise<void>(
    resolve => void out.on('socket', socket => socket.on('close', () => resolve())),
  );
  const answered = new Promise<Answer | null>(resolve => {
    out.on('error', () => resolve(null));
    out.on('response', async message => {
      const text = Buffer.concat(await message.toArray().catch(() => [])).toString();
      const fields = Object.entries(message.headers).map(([name, value]) => [name, String(value)]);
      resolve({
        status: message.statusCode ?? 0,
        headers: new Headers(fields as [string, string][]),
        body: parse(text),
      });
    });
  });
  return {
    write: piece => new Promise(resolve => void out.write(piece, () => resolve())),
    end: () => void out.end(),
    abort: () => void out.destroy(),
    answered,
    closed,
  };
}
