/** A gateway whose jobs go to a fake upstream of the provider under test. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { models } from '../../src/catalog/index.ts';
import { type ExampleMedia, uploadExampleMedia } from '../../testkit/clients/example-jobs.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { type Collector, openCollector } from '../../testkit/net/collector.ts';
import type { RuleInput, ScriptInput } from '../../testkit/upstream/script.ts';
import { type Ending, type Order, readEnding, untilEnded } from '../../testkit/upstream/studio.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import type { Conformance, Earlier } from './description.ts';

/** The account's key: it must never be seen anywhere but at its own host. */
export const canary = 'canary-4e1b7d0c9a';

/** The public address of the gateway, where the provider passes it to upstreams. */
const publicUrl = 'http://gateway.test';

export interface Ordered extends Order {
  /** Submissions there before it. */
  readonly known: number;
}

/** A gateway whose jobs go to a fake of the provider's upstream. */
export interface ProviderBench {
  readonly gateway: TestGateway;
  readonly fake: Fake;
  readonly key: string;
  readonly media: ExampleMedia;
  readonly earlier: Earlier;
  /** Where the traces of its jobs come to. */
  readonly collector: Collector;
  /** Creates a job with its own rules for the upstream. */
  order(
    body: Conformance['body'],
    rules: readonly RuleInput[],
    pace?: Pick<ScriptInput, 'queueMs' | 'runMs'>,
  ): Promise<Ordered>;
  /** Its end; time flies while there is nothing to be seen. */
  ending(order: Order): Promise<Ending>;
  close(): Promise<void>;
}

export async function openBench(wanted: Conformance, folder: string): Promise<ProviderBench> {
  const fake = await startFake(wanted.protocol, folder, canary);
  const collector = await openCollector();
  const settings = await settingsFor(wanted, fake.url, folder);
  const gateway = await startGateway({ env: { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const key = await gateway.key();
  const earlier = await makeEarlier(wanted, gateway, key);
  let marks = 0;
  return {
    gateway,
    fake,
    key,
    media: await uploadExampleMedia(gateway, key),
    earlier,
    collector,
    async order(body, rules, pace = {}) {
      const mark = `mark-p${++marks}`;
      const known = fake.received().length;
      await fake.play({ ...pace, rules: rules.map(rule => ({ ...rule, mark })) });
      const { model } = wanted;
      const made = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: body(mark, earlier) });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      return { id: made.body.request_id, mark, model, known };
    },
    async ending(order) {
      const error = await untilEnded(gateway, key, order);
      return readEnding(gateway.gateway.db, fake, order, error);
    },
    async close() {
      await gateway.close();
      await fake.close();
      await collector.close();
    },
  };
}

/** The job that is wanted before all others; no ids where none is. */
export async function makeEarlier(
  { provider, earlier }: Conformance,
  gateway: TestGateway,
  key: string,
): Promise<Earlier> {
  if (!earlier) return { jobId: '', fileId: '' };
  const { model, body, ref } = earlier;
  const made = await gateway.ask('POST', `/v1/queue/${model}`, { key, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const jobId: string = made.body.request_id;
  assert.equal(await untilEnded(gateway, key, { id: jobId, model, mark: '' }), null);
  const { db } = gateway.gateway;
  if (ref !== undefined)
    await db.write(
      `UPDATE attempts SET provider = $1, account = 'studio', answer = 'accepted', ref = $2 WHERE job_id = $3`,
      [provider, JSON.stringify(ref), jobId],
    );
  const [file] = await db.read(`SELECT id FROM files WHERE job_id = $1 AND source = 'output'`, [jobId]);
  return { jobId, fileId: String(file?.id) };
}

/** Sends every model that the provider serves to one account there; returns the environment for it. */
export async function settingsFor(
  { provider, account, switches = {}, requests, hasPublicUrl }: Conformance,
  url: string,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  const path = join(folder, 'atelier.yaml');
  const served = models.filter(({ id }) => requests.some(({ model }) => model === id));
  const settings = {
    limits: { queue: { per_second: 100_000, burst: 1_000_000 } },
    accounts: { studio: { provider, api_key: 'env:CANARY', ...account(url), slots: 16 } },
    routes: Object.fromEntries(served.map(({ id }) => [id, [{ account: 'studio', ...switches[id] }]])),
  };
  // JSON is YAML.
  await writeFile(path, JSON.stringify(settings));
  return {
    ATELIER_CONFIG: path,
    CANARY: canary,
    ...(hasPublicUrl && { ATELIER_PUBLIC_URL: publicUrl }),
  };
}

export const pathOf = (model: string, id: string, end: 'status' | 'response' | 'cancel'): string =>
  `/v1/queue/${model}/requests/${id}/${end}`;

/** A body in which every medium is written by its form alone. */
export function plain(value: unknown, base: string): unknown {
  if (typeof value === 'string') return plainText(value, base);
  if (Array.isArray(value)) return value.map(item => plain(item, base));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member, base)]));
}

function plainText(text: string, base: string): string {
  if (text.startsWith(`${base}/`)) return '<upload>';
  if (text.startsWith(`${publicUrl}/v1/ingress/`)) return '<call>';
  if (text.startsWith(`${publicUrl}/`)) return '<link>';
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+$/.test(text)) return '<key>';
  const type = /^data:([^;]+);base64,/.exec(text)?.[1];
  if (type !== undefined) return `<data:${type}>`;
  return text.length > 200 && /^[A-Za-z0-9+/]+=*$/.test(text) ? '<base64>' : text;
}
