/** Upstreams that call back, and a gateway that receives their calls. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seconds } from '../../src/domain/clock.ts';
import {
  startGateway,
  type TestGateway,
  type TestGatewayOptions,
  until,
} from '../../testkit/gateway/gateway.ts';
import { png } from '../../testkit/media/media-maker.ts';
import type { RuleInput } from '../../testkit/upstream/script.ts';
import { ark } from '../../testkit/upstreams/ark.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { fal } from '../../testkit/upstreams/fal.ts';
import { kling } from '../../testkit/upstreams/kling.ts';
import type { Protocol } from '../../testkit/upstreams/protocol.ts';
import { replicate } from '../../testkit/upstreams/replicate.ts';
import { vidu } from '../../testkit/upstreams/vidu.ts';
import { earlierJob, youchuan, youchuanApp } from '../../testkit/upstreams/youchuan.ts';
import { pathOf } from './provider-bench.ts';

/** The key of every account. */
export const accountKey = 'test-key-of-every-account';
export const webhookSecret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
/** The public address of the gateway that upstreams get. */
export const publicUrl = 'https://gateway.test/below';

const frame = `data:image/png;base64,${png(320, 240).toString('base64')}`;

/** An upstream that calls back, and a job that goes there. */
export interface Caller {
  readonly protocol: Protocol;
  readonly account: (url: string) => Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly body: (mark: string, earlier: string) => unknown;
  /** What it signs with; absent where its calls are not signed. */
  readonly secret?: string;
}

const names = ['fal', 'replicate', 'ark', 'kling', 'kling-turbo', 'vidu', 'youchuan', 'silent'] as const;
export type CallerName = (typeof names)[number];

export const callers: Readonly<Record<CallerName, Caller>> = {
  fal: {
    protocol: fal,
    account: url => ({ base_url: url }),
    model: 'eta2.6-t2v',
    body: mark => ({ prompt: `A red boat ${mark}`, duration: 5 }),
  },
  replicate: {
    protocol: replicate,
    account: url => ({ base_url: `${url}/v1`, webhook_secret: 'env:WEBHOOK_SECRET' }),
    model: 'alpha-1-5-pro',
    body: mark => ({ content: [{ type: 'text', text: `A red boat ${mark}` }], ratio: '16:9' }),
    secret: webhookSecret,
  },
  ark: {
    protocol: ark,
    account: url => ({ base_url: `${url}/api/v3` }),
    model: 'alpha-2-0-mini',
    body: mark => ({ content: [{ type: 'text', text: `A red boat ${mark}` }], resolution: '480p' }),
  },
  kling: {
    protocol: kling,
    account: url => ({ base_url: url }),
    model: 'gamma-v2-image',
    body: mark => ({ prompt: `A red boat ${mark}`, aspect_ratio: '1:1' }),
  },
  'kling-turbo': {
    protocol: kling,
    account: url => ({ provider: 'kling', base_url: url }),
    model: 'gamma-v3-turbo-t2v',
    body: mark => ({ prompt: `A red boat ${mark}` }),
  },
  vidu: {
    protocol: vidu,
    account: url => ({ base_url: url }),
    model: 'epsilon-q2-turbo-img2video',
    body: mark => ({ images: [frame], prompt: `A red boat ${mark}`, duration: 1 }),
    secret: accountKey,
  },
  youchuan: {
    protocol: youchuan,
    account: url => ({ api_key: undefined, app: youchuanApp, secret: 'env:KEY', base_url: url }),
    model: 'beta-edit',
    body: (mark, jobId) => ({
      ...{ jobId, imageNo: 0, remixPrompt: `A red kite ${mark}` },
      canvas: { width: 1536, height: 1024 },
      imgPos: { x: 256, y: 0, width: 1024, height: 1024 },
    }),
  },
  /** Its account takes no calls. */
  silent: {
    protocol: fal,
    account: url => ({ provider: 'fal', base_url: url, callbacks: false }),
    model: 'theta-3.1-flash-tts-preview',
    body: mark => ({ text: `Hello ${mark}` }),
  },
};
export const callerNames: readonly CallerName[] = names;

export interface Ordered {
  readonly id: string;
  readonly model: string;
  readonly mark: string;
  readonly fake: Fake;
  readonly secret: string;
}

/** A gateway whose jobs go to upstreams that call it back. */
export interface IngressBench {
  readonly gateway: TestGateway;
  readonly key: string;
  /** For another process of it. */
  readonly env: Readonly<Record<string, string>>;
  /** Creates a job that its upstream works on until `completeJobs`; resolves once the first poll was answered. */
  orderPolled(name: CallerName): Promise<Ordered>;
  /** The same, as soon as it was submitted. */
  order(name: CallerName, rules?: readonly RuleInput[]): Promise<Ordered>;
  /** The upstream of the job calls, as it does or signed with something else. */
  call(job: Ordered, wanted?: { readonly secret?: string; readonly now?: number }): Promise<CallAnswer>;
  /** How often the upstream was polled for the job. */
  polls(job: Ordered): Promise<number>;
  /** The code of its error, without any time but what passes. */
  ended(job: Ordered): Promise<string | null>;
  close(): Promise<void>;
}

export interface CallAnswer {
  readonly status: number;
  readonly text: string;
}

export interface IngressWanted extends Pick<TestGatewayOptions, 'dialect' | 'role' | 'isAlone'> {
  readonly of: readonly CallerName[];
  /** Beside what every account has. */
  readonly account?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openIngressBench({
  of: names,
  account,
  env,
  ...options
}: IngressWanted): Promise<IngressBench> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-ingress-'));
  const fakes = new Map<CallerName, Fake>();
  for (const name of names) {
    await mkdir(join(folder, name));
    fakes.set(name, await startFake(callers[name].protocol, join(folder, name), accountKey));
  }
  const path = join(folder, 'atelier.yaml');
  const fakeOf = (name: CallerName): Fake => fakes.get(name)!;
  const accounts = names.map(name => [
    name,
    { provider: name, api_key: 'env:KEY', ...callers[name].account(fakeOf(name).url), ...account },
  ]);
  const routes = names.map(name => [callers[name].model, [{ account: name }]]);
  // JSON is YAML.
  await writeFile(
    path,
    JSON.stringify({ accounts: Object.fromEntries(accounts), routes: Object.fromEntries(routes) }),
  );
  const settings = {
    ATELIER_CONFIG: path,
    ATELIER_PUBLIC_URL: publicUrl,
    KEY: accountKey,
    WEBHOOK_SECRET: webhookSecret,
    ...env,
  };
  const gateway = await startGateway({ ...options, env: settings });
  const key = await gateway.key();
  const earlier = names.includes('youchuan') ? await makeEarlier(gateway, key) : '';
  const { clock } = gateway;
  let marks = 0;

  async function order(name: CallerName, rules: readonly RuleInput[] = []): Promise<Ordered> {
    const { model, body, secret = '' } = callers[name];
    const mark = `mark-i${++marks}`;
    const fake = fakeOf(name);
    const known = fake.received().length;
    await fake.play({ runMs: 3_600 * seconds, rules: rules.map(rule => ({ ...rule, mark })) });
    const made = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: body(mark, earlier) });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    await until(async () => fake.received().length > known, 'the submission');
    return { id: made.body.request_id, model, mark, fake, secret };
  }

  return {
    gateway,
    key,
    env: settings,
    order,
    async orderPolled(name) {
      const { status } = await fakeOf(name).counts();
      const job = await order(name);
      await until(async () => {
        const { status: polls } = await job.fake.counts();
        if (polls === status) clock.advance(1 * seconds);
        return polls > status;
      }, 'the first poll');
      return job;
    },
    call: ({ mark, fake, ...own }, { secret = own.secret, now = clock.now() } = {}) =>
      fake.callWebhook(mark, { publicUrl, gateway: gateway.url, secret, now }),
    polls: async ({ fake }) => (await fake.counts()).status,
    ended: async ({ model, id }) =>
      until(async () => {
        const answer = await gateway.ask('GET', pathOf(model, id, 'response'), { key });
        return answer.status === 200 && { code: answer.body.error?.code ?? null };
      }, 'the end of the job').then(({ code }) => code),
    async close() {
      await gateway.close();
      for (const fake of fakes.values()) await fake.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A job of this machine, booked as one of the account's: its first pictures come from elsewhere. */
async function makeEarlier(gateway: TestGateway, key: string): Promise<string> {
  const body = { prompt: 'A tower', aspect_ratio: '1:1', n: 4 };
  const made = await gateway.ask('POST', '/v1/queue/gamma-v3-image', { key, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const id: string = made.body.request_id;
  const ended = await until(async () => {
    const answer = await gateway.ask('GET', pathOf('gamma-v3-image', id, 'response'), { key });
    return answer.status === 200 && answer;
  }, 'the earlier job');
  assert.equal(ended.body.error, null);
  await gateway.gateway.db.write(
    `UPDATE attempts SET provider = 'youchuan', account = 'youchuan', answer = 'accepted', ref = $1 WHERE job_id = $2`,
    [JSON.stringify({ id: earlierJob }), id],
  );
  return id;
}
