/** Traces of jobs: spans, errors, sampling. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { type Collected, type Collector, openCollector } from '../../testkit/net/collector.ts';
import { openReceiver, type Receiver } from '../../testkit/net/receiver.ts';
import { routeTo } from '../../testkit/upstream/routing.ts';
import { accounts, startUpstream, type Upstream } from '../../testkit/upstream/upstream.ts';

const picture = '/v1/queue/gamma-v3-image';
const caller = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };
const words = 'the very private words of a prompt';

for (const dialect of dialects) {
  describe(`the trace of a job (${dialect})`, () => {
    let folder: string;
    let collector: Collector;
    let receiver: Receiver;
    let upstream: Upstream;
    let gateway: TestGateway;
    let key: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atelier-tracing-'));
      [collector, receiver, upstream] = [
        await openCollector(),
        await openReceiver(),
        await startUpstream({ folder }),
      ];
      const env = {
        ...(await routeTo(upstream.url, folder)),
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      };
      gateway = await startGateway({ dialect, env });
      key = await gateway.key();
    });
    after(async () => {
      await gateway.close();
      await upstream.close();
      await receiver.close();
      await collector.close();
      await rm(folder, { recursive: true });
    });

    test('goes from its creation to its callbacks under one id, and contains no secret', async () => {
      const callbackUrl = `${receiver.url}/hook?token=a-secret-of-the-receiver`;
      const made = await gateway.ask('POST', picture, {
        key,
        body: { prompt: words, callback_url: callbackUrl },
        headers: { traceparent: `00-${caller.trace}-${caller.span}-01` },
      });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const id: string = made.body.request_id;
      await until(
        async () => receiver.notices.some(({ body }) => body.status === 'COMPLETED'),
        'the last callback',
      );
      await gateway.stop();

      const spans = collector.spans();
      const traceId = id.replaceAll('-', '');
      assert.deepEqual(new Set(spans.map(span => span.traceId)), new Set([traceId]));
      const names = spans.map(span => span.name);
      assert.deepEqual([...new Set(names)].toSorted(), [
        'callback',
        'create',
        'poll',
        'queue',
        'store_outputs',
        'submit',
      ]);
      for (const name of ['create', 'queue', 'submit', 'poll', 'store_outputs'])
        assert.equal(names.filter(each => each === name).length, 1, name);
      assert.ok(spans.every(({ status }) => status.code !== 2));

      const [first] = spans.filter(span => span.name === 'create');
      assert.deepEqual(
        [first?.parentSpanId, first?.spanId, first?.links?.map(link => [link.traceId, link.spanId])],
        [undefined, traceId.slice(16), [[caller.trace, caller.span]]],
      );
      const others = spans.filter(span => span !== first);
      assert.deepEqual(new Set(others.map(span => span.parentSpanId)), new Set([first?.spanId]));
      assert.equal(new Set(spans.map(span => span.spanId)).size, spans.length);
      const begin = (name: string) => spans.find(span => span.name === name)?.startTimeUnixNano ?? '';
      const inOrder = ['create', 'queue', 'submit', 'poll', 'store_outputs'].map(begin);
      assert.deepEqual(inOrder, inOrder.toSorted());
      for (const span of spans) assert.ok(span.endTimeUnixNano >= span.startTimeUnixNano, span.name);
      assert.deepEqual(attributesOf(spans, 'submit'), {
        'atelier.job': id,
        'atelier.account': 'studio-replay',
        'atelier.outcome': 'accepted',
      });

      const sent = collector.texts.join('\n');
      for (const secret of [key, words, 'a-secret-of-the-receiver', receiver.url, upstream.url])
        assert.ok(!sent.includes(secret), secret);
      for (const secret of Object.keys(accounts)) assert.ok(!sent.includes(secret), secret);
    });
  });
}

describe('traces', () => {
  test('say why a step went wrong, and a collector that refuses them changes nothing', async () => {
    const collector = await openCollector(503);
    const gateway = await startGateway({
      env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` },
    });
    try {
      const key = await gateway.key();
      const body = { prompt: 'A fox [atelier:fail=content_policy_violation]' };
      const made = await gateway.ask('POST', picture, { key, body });
      const path = `${picture}/requests/${made.body.request_id}/response`;
      const ended = await until(async () => {
        const answer = await gateway.ask('GET', path, { key, headers: { prefer: 'wait=10' } });
        return answer.status === 200 && answer;
      }, 'the end of the job');
      assert.equal(ended.body.error.code, 'content_policy_violation');
      const startedAt = performance.now();
      await gateway.stop();
      assert.ok(performance.now() - startedAt < 15_000);
      const failed = collector.spans().filter(({ status }) => status.code === 2);
      assert.deepEqual(
        [...new Set(failed.map(({ name, status }) => `${name}: ${status.message}`))],
        ['poll: content_policy_violation'],
      );
    } finally {
      await gateway.close();
      await collector.close();
    }
  });

  test('are of no job at all where the share is 0', async () => {
    const collector = await openCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: '0' };
    const gateway = await startGateway({ role: 'api', env });
    const made = await gateway.ask('POST', picture, {
      key: await gateway.key(),
      body: { prompt: words },
    });
    assert.equal(made.status, 200);
    await gateway.close();
    assert.deepEqual(collector.texts, []);
    await collector.close();
  });

  test('cost a start nothing where they are not configured: their packages are loaded late', async () => {
    const src = fileURLToPath(new URL('../../src/', import.meta.url));
    const wrong: string[] = [];
    for (const entry of await readdir(src, { recursive: true, withFileTypes: true })) {
      if (!entry.name.endsWith('.ts')) continue;
      const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
      if (/from '@opentelemetry/.test(text)) wrong.push(entry.name);
    }
    assert.deepEqual(wrong, []);
  });
});

/** What the one span of this name says. */
function attributesOf(spans: readonly Collected[], name: string): Record<string, unknown> {
  const [span] = spans.filter(each => each.name === name);
  return Object.fromEntries(
    span?.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]) ?? [],
  );
}
