/** The provider fal: a call whose answer was lost is looked for in its list of requests. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import { compareInputs } from '../../src/providers/fal/history.ts';
import { listUncertainSubmissions } from '../../src/store/attempts/uncertain.ts';
import { jsonAnswer } from '../../testkit/upstream/answer.ts';
import type { UpstreamJob } from '../../testkit/upstream/jobs.ts';
import type { RuleInput } from '../../testkit/upstream/script.ts';
import { type Ending, good, untilEnded } from '../../testkit/upstream/studio.ts';
import { falWithHistory } from '../../testkit/upstreams/fal.ts';
import { changeable } from './conformance-answers.ts';
import type { Conformance } from './description.ts';
import { openBench, type ProviderBench } from './provider-bench.ts';

const lost: RuleInput = { on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } };
const notMade: RuleInput = { ...lost, accepts: false };
const uncertain = (charges: 0 | 1): Ending => ({
  error: 'submission_uncertain',
  submissions: 1,
  charges,
  attempts: [['unknown', 1]],
  uncertain: 1,
});
const adopted = good([['accepted', 1]]);

/** A creation that the fake lists as sent now. */
const neverSent = ({ creation }: UpstreamJob): UpstreamJob['creation'] => ({ ...creation, submission: -1 });

for (const adopts of [false, true]) {
  describe(`fal: a lost answer, where the account ${adopts ? 'allows' : 'does not allow'} adoption`, () => {
    let folder: string;
    let bench: ProviderBench;
    const upstream = changeable(falWithHistory(() => bench.gateway.clock.now()));
    const wanted: Conformance = {
      provider: 'fal',
      protocol: upstream.protocol,
      account: url => ({ base_url: url, api_url: url, ...(adopts && { adopt_candidates: true }) }),
      model: 'eta2.6-t2v',
      body: mark => ({ prompt: `A red boat ${mark}` }),
      reported: [],
      requests: [{ model: 'eta2.6-t2v', path: '', body: null }],
      gaps: [],
      says: () => ({}),
      refusals: {},
      failures: {},
      result: { on: 'response', path: ['video'], mayBeNull: [] },
      unknownState: {},
    };
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atelier-fal-history-'));
      bench = await openBench(wanted, folder);
    });
    after(async () => {
      await bench.close();
      await rm(folder, { recursive: true, force: true });
    });

    /** The end of a job under these rules, and the candidates that its operator sees. */
    async function endWith(rules: readonly RuleInput[], body = wanted.body) {
      // An earlier test's job that is still uncertain could be the candidate.
      bench.gateway.clock.advance(10 * minutes);
      const order = await bench.order(body, rules);
      const ending = await bench.ending(order);
      const listed = await listUncertainSubmissions(bench.gateway.gateway.db);
      const charges = bench.fake
        .ledger()
        .filter(entry => entry.kind === 'charge' && entry.mark === order.mark);
      const ids = charges.map(entry => (entry.kind === 'charge' ? entry.id : ''));
      const named =
        listed.find(({ jobId }) => jobId === order.id)?.candidates.map(one => one.upstreamId) ?? [];
      return { order, ending, ids, named };
    }
    const single = adopts ? adopted : uncertain(1);

    test('the only call of its input is the candidate', async () => {
      const { ending, ids, named } = await endWith([lost]);
      assert.deepEqual(ending, single);
      assert.deepEqual(named, adopts ? [] : ids);
    });

    test('a list that lags is read again', async () => {
      let lists = 0;
      upstream.change({ listed: jobs => (lists++ < 2 ? [] : jobs) });
      const { ending, ids, named } = await endWith([lost]);
      upstream.change(null);
      assert.deepEqual(ending, single);
      assert.deepEqual(named, adopts ? [] : ids);
      assert.equal(lists, 3);
    });

    test('a list that stays empty is no absence', async () => {
      upstream.change({ listed: () => [] });
      const { ending, named } = await endWith([lost]);
      upstream.change(null);
      assert.deepEqual([ending, named], [uncertain(1), []]);
    });

    test('a call that never arrived is not sent again', async () => {
      const { ending, named } = await endWith([notMade]);
      assert.deepEqual([ending, named], [uncertain(0), []]);
    });

    for (const text of ['null', '{"items":null}', '{"items":[null]}', '{"detail":"Forbidden"}', '<html>'])
      test(`200 and ${text} in the place of the list is no absence`, async () => {
        upstream.change({ list: () => ({ ...jsonAnswer(200, null), body: Buffer.from(text) }) });
        const { ending, named } = await endWith([lost]);
        upstream.change(null);
        assert.deepEqual([ending, named], [uncertain(1), []]);
      });

    const oddLists: Readonly<Record<string, (job: UpstreamJob) => readonly UpstreamJob[]>> = {
      'an entry that cannot be read': job => [{ ...job, id: '' }, job],
      'a younger call of the same input': job => [job, { ...job, id: 'younger', creation: neverSent(job) }],
    };
    for (const [name, listed] of Object.entries(oddLists))
      test(`${name} hides no candidate, and forbids adoption`, async () => {
        upstream.change({ listed: jobs => jobs.slice(-1).flatMap(listed) });
        const { ending, ids, named } = await endWith([lost]);
        upstream.change(null);
        assert.deepEqual([ending, named], [uncertain(1), ids]);
      });

    test('two calls of the same input are two candidates', async () => {
      upstream.change({ listed: jobs => jobs.slice(-1).flatMap(job => [job, { ...job, id: 'second' }]) });
      const { ending, ids, named } = await endWith([lost]);
      upstream.change(null);
      assert.deepEqual([ending, named], [uncertain(1), [...ids, 'second']]);
    });

    test('a call that is listed twice is one candidate', async () => {
      upstream.change({ listed: jobs => [...jobs, ...jobs] });
      const { ending, ids, named } = await endWith([lost]);
      upstream.change(null);
      assert.deepEqual([ending, named], [single, adopts ? [] : ids]);
    });

    test('the call of another job of the same input is no candidate', async () => {
      const { gateway, fake, key } = bench;
      const first = await endWith([]);
      assert.deepEqual(first.ending, adopted);
      const { mark, model } = first.order;
      await fake.play({ rules: [lost] });
      const made = await gateway.ask('POST', `/v1/queue/${model}`, {
        key,
        body: wanted.body(mark, bench.earlier),
      });
      const id: string = made.body.request_id;
      const error = await untilEnded(gateway, key, { id, model, mark });
      assert.equal(error, adopts ? null : 'submission_uncertain');
      const charges = fake
        .ledger()
        .flatMap(entry => (entry.kind === 'charge' && entry.mark === mark ? entry.id : []));
      assert.equal(charges.length, 2);
      const listed = await listUncertainSubmissions(gateway.gateway.db);
      const candidates = listed.find(({ jobId }) => jobId === id)?.candidates.map(one => one.upstreamId);
      assert.deepEqual(candidates, adopts ? undefined : charges.slice(1));
    });
  });
}

test('fal: inputs are the same whatever the order of members, and apart from media', () => {
  const sent = { prompt: 'A', seed: undefined, n: 1, images: ['https://a.test/1?sig=2'] };
  const pairs = [
    [{ images: ['https://a.test/1?sig=2'], n: 1, prompt: 'A', seed: null }, 'same'],
    [{ images: ['https://fal.media/x.png'], n: 1, prompt: 'A' }, 'other media'],
    [{ images: ['https://a.test/1?sig=2'], n: 1, prompt: 'B' }, 'other'],
    [{ images: ['https://a.test/1?sig=2', 'https://a.test/3'], n: 1, prompt: 'A' }, 'other'],
    [{ images: ['https://a.test/1?sig=2'], n: 1, prompt: 'A', seed: 3 }, 'other'],
    ['A', 'other'],
    [null, 'other'],
  ] as const;
  assert.deepEqual(
    pairs.map(([seen]) => compareInputs(sent, seen)),
    pairs.map(([, likeness]) => likeness),
  );
});
