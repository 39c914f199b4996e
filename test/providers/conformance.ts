/** The conformance suite that every provider passes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findModel } from '../../src/catalog/index.ts';
import { jobIdFromRow } from '../../src/domain/ids.ts';
import { providers } from '../../src/providers/index.ts';
import { resolveUncertainSubmission } from '../../src/store/attempts/uncertain.ts';
import { exampleBody } from '../../testkit/clients/example-jobs.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import type { RuleInput } from '../../testkit/upstream/script.ts';
import { type Ending, good, untilEnded } from '../../testkit/upstream/studio.ts';
import { changeable, oddAnswers } from './conformance-answers.ts';
import { crashes } from './conformance-crashes.ts';
import type { Conformance } from './description.ts';
import { canary, openBench, type ProviderBench, pathOf, plain } from './provider-bench.ts';

type Act = RuleInput['act'];

const refused = (error: string): Ending => ({
  error,
  submissions: 1,
  charges: 0,
  attempts: [['refused', 1]],
  uncertain: 0,
});

/** The suite that every provider passes. */
export function conformance(wanted: Conformance): void {
  describe(wanted.provider, () => {
    let folder: string;
    let bench: ProviderBench;
    const upstream = changeable(wanted.protocol);
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atelier-provider-'));
      bench = await openBench({ ...wanted, protocol: upstream.protocol }, folder);
    });
    after(async () => {
      await bench.close();
      await rm(folder, { recursive: true, force: true });
    });

    happy(wanted, () => bench);
    trouble(wanted, () => bench);
    results(wanted, () => bench);
    cancels(wanted, () => bench);
    oddAnswers(wanted, () => bench, upstream);
    borders(wanted, () => bench);
    crashes(wanted);
  });
}

function happy({ provider, requests, gaps, model, body, reported }: Conformance, at: () => ProviderBench) {
  test('every model that is served has its request here', () => {
    const served = providers.find(({ name }) => name === provider)?.models;
    const shown = [...new Set(requests.map(request => request.model))];
    // Who takes every input as it is needs to show no more than one.
    if (served) assert.deepEqual(shown.toSorted(), Object.keys(served).toSorted());
    else assert.ok(shown.length > 0);
  });

  for (const [place, { model, input, path, body }] of requests.entries()) {
    test(`sends ${model} as documented (${place + 1}), and stores the result`, async () => {
      const { gateway, fake, key, media, earlier } = at();
      const sent = input?.(media, earlier) ?? exampleBody(findModel(model)!, media, earlier.jobId);
      const known = fake.received().length;
      const made = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: sent });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const id = made.body.request_id;
      assert.equal(await untilEnded(gateway, key, { id, model, mark: '' }), null);
      const received = fake.received().slice(known);
      assert.deepEqual(
        received.map(one => [one.path, plain(one.json, fake.url)]),
        [[path, body]],
      );
      const result = await gateway.ask('GET', pathOf(model, id, 'response'), { key });
      const { video, images, audio } = result.body;
      const { pathname, search } = new URL((video ?? images?.[0] ?? audio).url);
      const file = await fetch(`${gateway.url}${pathname}${search}`);
      assert.equal(file.status, 200);
      assert.ok((await file.arrayBuffer()).byteLength > 0);
    });
  }

  test('writes down what a job used', async () => {
    const { gateway } = at();
    const { id } = await at().order(body, []);
    assert.equal(await untilEnded(gateway, at().key, { id, model, mark: '' }), null);
    const lines = await gateway.gateway.db.read(
      `SELECT unit, quantity FROM usage_lines WHERE job_id = $1 AND basis = 'reported' ORDER BY line`,
      [id],
    );
    assert.deepEqual(
      lines.map(({ unit, quantity }) => [unit, Number(quantity)]),
      reported,
    );
    const [computed] = await gateway.gateway.db.read(
      `SELECT count(*) AS lines FROM usage_lines WHERE job_id = $1 AND basis = 'computed'`,
      [id],
    );
    assert.ok(Number(computed?.lines) > 0);
  });

  for (const [place, [model, body, sentence]] of gaps.entries()) {
    test(`refuses what the upstream cannot take (${place + 1}: ${sentence})`, async () => {
      const { gateway, fake, key, earlier } = at();
      const known = fake.received().length;
      const sent = typeof body === 'function' ? body(earlier) : body;
      const made = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: sent });
      assert.deepEqual([made.status, made.body.detail], [422, sentence]);
      assert.equal(fake.received().length, known);
    });
  }
}

function trouble(wanted: Conformance, at: () => ProviderBench) {
  const { protocol, body, refusals, says, bytesInside } = wanted;
  const { dedupe } = protocol;
  const later = good([
    ['refused', 1],
    [bytesInside ? 'done' : 'accepted', 1],
  ]);
  const unknown = (isMade: boolean): Ending => {
    if (dedupe === 'replay') return good([['accepted', 2]]);
    if (dedupe === 'lookup') return isMade ? good([['accepted', 1]]) : later;
    const charges = isMade ? 1 : 0;
    return {
      error: 'submission_uncertain',
      submissions: 1,
      charges,
      attempts: [['unknown', 1]],
      uncertain: 1,
    };
  };
  const endUnder = async (rule: Omit<RuleInput, 'on'>) =>
    at().ending(await at().order(body, [{ on: 'create', times: 1, ...rule }]));

  for (const [name, [status, errorBody, comesTo]] of Object.entries(refusals)) {
    test(`a submission that is answered ${name} ends as ${comesTo}`, async () => {
      const act: Act = { kind: 'answer', status, body: JSON.stringify(errorBody) };
      const ending = await endUnder({ accepts: false, act });
      const endings: Readonly<Record<string, Ending>> = { later, unknown: unknown(false) };
      assert.deepEqual(ending, endings[comesTo] ?? refused(comesTo));
    });
  }

  const lost: readonly (readonly [name: string, act: Act])[] = [
    ['a reset before it', { kind: 'reset', at: 'nothing' }],
    ['a reset within it', { kind: 'reset', at: 'half-body' }],
    ['500', { kind: 'answer', status: 500 }],
    ['502 and HTML', { kind: 'answer', status: 502, body: '<html>' }],
    ['200 and HTML', { kind: 'answer', status: 200, body: '<html>' }],
  ];
  for (const [name, act] of lost) {
    for (const accepts of [true, false]) {
      test(`${name} in the place of the answer, the job ${accepts ? '' : 'not '}made`, async () => {
        assert.deepEqual(await endUnder({ accepts, act }), unknown(accepts));
      });
    }
  }

  const resolveByHand = async () => {
    const { gateway, fake, key } = at();
    const order = await at().order(body, [{ on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } }]);
    await at().ending(order);
    const charge = fake.ledger().find(entry => entry.kind === 'charge' && entry.mark === order.mark);
    assert.ok(charge?.kind === 'charge');
    const upstreamId = protocol.nameOf?.(charge.id) ?? charge.id;
    const settlement = { kind: 'adopted', upstreamId } as const;
    const settled = await resolveUncertainSubmission(
      gateway.gateway.db,
      jobIdFromRow(order.id),
      settlement,
      gateway.clock.now(),
    );
    assert.ok(settled.kind === 'settled' && settled.newJobId);
    assert.equal(await untilEnded(gateway, key, { ...order, id: settled.newJobId }), null);
    const charges = fake.ledger().filter(entry => entry.kind === 'charge' && entry.mark === order.mark);
    assert.equal(charges.length, 1);
  };
  if (dedupe === 'none' && protocol.status)
    test('an uncertain submission is resolved by the id that an operator found there', resolveByHand);

  test('is sent away by a redirect, and does not go there', async () => {
    const { fake } = at();
    const headers = { location: `${fake.mediaHostUrl}/stolen` };
    const ending = await endUnder({ accepts: false, act: { kind: 'answer', status: 307, headers } });
    assert.deepEqual(ending, refused('provider_unavailable'));
    assert.deepEqual(
      fake.mediaRequests().filter(({ path }) => path === '/stolen'),
      [],
    );
  });

  test('does not repeat a key or an address that the upstream repeats', async () => {
    const { gateway, key } = at();
    const errorBody = JSON.stringify(says(`the key ${canary} is odd, see https://inner.test/a?b=c`));
    const order = await at().order(body, [
      { on: 'create', times: 1, accepts: false, act: { kind: 'answer', status: 422, body: errorBody } },
    ]);
    await at().ending(order);
    const result = await gateway.ask('GET', pathOf(order.model, order.id, 'response'), { key });
    const error = JSON.stringify(result.body.error);
    assert.match(error, /is odd/);
    assert.doesNotMatch(error, new RegExp(`${canary}|inner\\.test`));
  });
}

function results(
  { protocol, model, body, failures, unknownState, bytesInside }: Conformance,
  at: () => ProviderBench,
) {
  const isInline = !protocol.status;
  const charged = good([['accepted', 1]]);

  for (const [name, [on, status, errorBody, error]] of Object.entries(failures)) {
    test(`a run that ${name} ends as ${error}`, async () => {
      const act: Act =
        status === 200
          ? { kind: 'change', set: errorBody }
          : { kind: 'answer', status, body: JSON.stringify(errorBody) };
      const ending = await at().ending(await at().order(body, [{ on, act }]));
      assert.deepEqual(ending, { ...charged, error });
    });
  }

  const passing: readonly (readonly [name: string, on: 'status' | 'response', act: Act])[] = [
    ['in an unknown state', 'status', { kind: 'change', set: unknownState }],
    ['answered 401 for a while', 'status', { kind: 'answer', status: 401 }],
    ['answered 500 for a while', 'status', { kind: 'answer', status: 500 }],
    ['answered with HTML for a while', 'status', { kind: 'answer', status: 200, body: '<html>' }],
    ['not known yet', 'status', { kind: 'answer', status: 404 }],
    ['cut off for a while', 'status', { kind: 'reset', at: 'half-body' }],
    ...(protocol.response
      ? ([['without a result for a while', 'response', { kind: 'answer', status: 502 }]] as const)
      : []),
  ];
  for (const [name, on, act] of isInline ? [] : passing) {
    test(`a job that is ${name} is polled again`, async () => {
      assert.deepEqual(await at().ending(await at().order(body, [{ on, times: 3, act }])), charged);
    });
  }

  const changeKey = async () => {
    const { fake } = at();
    const { status: polls } = await fake.counts();
    const order = await at().order(body, [], { runMs: 600_000 });
    await until(async () => {
      // The pause before a first poll is long at some.
      at().gateway.clock.advance(1000);
      return (await fake.counts()).status > polls;
    }, 'a poll');
    fake.acceptOnlyKey('another key');
    at().gateway.clock.advance(30_000);
    fake.acceptOnlyKey(null);
    fake.completeJobs();
    assert.deepEqual(await at().ending(order), charged);
  };
  if (!isInline) test('a job goes on when its key is changed and changed back', changeKey);

  if (bytesInside) return;
  const kind = findModel(model)?.kind;
  const dead: readonly (readonly [name: string, act: Act])[] = [
    ['is not there', { kind: 'answer', status: 404 }],
    ['is forbidden', { kind: 'answer', status: 403 }],
    ['is a page', { kind: 'answer', status: 200, body: '<html>Sorry</html>' }],
    ['breaks off', { kind: 'reset', at: 'half-body' }],
    ...(kind === 'speech' ? [] : ([['is cut', { kind: 'cut' }]] as const)),
  ];
  for (const [name, act] of dead) {
    test(`a result that ${name} at first is fetched again`, async () => {
      const order = await at().order(body, [{ on: 'media', times: 2, act }]);
      assert.deepEqual(await at().ending(order), charged);
    });
  }

  test('a result that stays away ends as runtime_error', async () => {
    const order = await at().order(body, [{ on: 'media', act: { kind: 'answer', status: 404 } }]);
    assert.deepEqual(await at().ending(order), { ...charged, error: 'runtime_error' });
  });
}

const waits = [
  ['waits there', { queueMs: 600_000 }],
  ['runs there', { runMs: 600_000 }],
] as const;

function cancels({ protocol, body, cancelsWaitingAlone }: Conformance, at: () => ProviderBench) {
  for (const [name, pace] of protocol.status ? waits : []) {
    test(`a cancel of a job that ${name}`, async () => {
      const { gateway, fake, key } = at();
      const order = await at().order(body, [], pace);
      await until(async () => fake.received().length > order.known, 'the submission');
      const cancel = pathOf(order.model, order.id, 'cancel');
      await until(async () => {
        const { body } = await gateway.ask('GET', pathOf(order.model, order.id, 'status'), { key });
        return body.status === 'IN_PROGRESS';
      }, 'the job to run');
      assert.equal((await gateway.ask('PUT', cancel, { key })).status, 202);
      const { error, charges, uncertain } = await at().ending(order);
      assert.deepEqual([error, charges, uncertain], ['cancelled', 1, 0]);
      const cancels = fake.ledger().filter(entry => entry.kind === 'cancel' && entry.mark === order.mark);
      const isSent = protocol.cancelled && !(cancelsWaitingAlone && 'runMs' in pace);
      assert.equal(cancels.length, isSent ? 1 : 0);
    });
  }
}

function borders({ bytesInside }: Conformance, at: () => ProviderBench) {
  test('the key is in no log, no row, no trace and no request to another host', async () => {
    const { gateway, fake, collector } = at();
    assert.ok(fake.received().every(({ headers }) => JSON.stringify(headers).includes(canary)));
    assert.ok(bytesInside || fake.mediaRequests().length > 0);
    assert.equal(JSON.stringify(fake.mediaRequests()).includes(canary), false);
    assert.equal(JSON.stringify(gateway.logged).includes(canary), false);
    for (const table of ['jobs', 'attempts', 'events', 'accounts', 'audit', 'files', 'usage_lines']) {
      const rows = await gateway.gateway.db.read(`SELECT * FROM ${table}`);
      assert.equal(JSON.stringify(rows).includes(canary), false, table);
    }
    await until(async () => collector.spans().some(({ name }) => name === 'submit'), 'the traces to come');
    assert.ok(collector.texts.every(text => !text.includes(canary)));
  });
}
