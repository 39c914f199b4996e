/** Jobs that the upstream accepted: every way in which they end. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../../testkit/gateway/gateway.ts';
import { kinds, modelOf } from '../../testkit/upstream/routing.ts';
import type { Operation, RuleInput } from '../../testkit/upstream/script.ts';
import { type Ending, good, openStudio, type Studio } from '../../testkit/upstream/studio.ts';

type Act = RuleInput['act'];

/** Answers that say nothing of a job: it is polled again. */
const noise: readonly (readonly [name: string, act: Act])[] = [
  ['is reset', { kind: 'reset', at: 'nothing' }],
  ['is reset in the middle', { kind: 'reset', at: 'half-body' }],
  ['is cut', { kind: 'cut' }],
  ['is 500', { kind: 'answer', status: 500, body: '{"detail":"Runtime execution failed"}' }],
  ['is 429', { kind: 'answer', status: 429, headers: { 'retry-after': '1' } }],
  ['is 401', { kind: 'answer', status: 401 }],
  ['is a redirect', { kind: 'answer', status: 302, headers: { location: '/' } }],
  ['is HTML', { kind: 'answer', status: 200, body: '<html>Hello</html>' }],
  ['is JSON of another kind', { kind: 'answer', status: 200, body: '[1]' }],
  ['has no end', { kind: 'endless' }],
  ['is small and unpacks to hundreds of megabytes', { kind: 'bomb', megabytes: 300 }],
];

const onStatus: readonly (readonly [name: string, act: Act])[] = [
  ...noise,
  ['has an unknown status', { kind: 'change', set: { status: 'PAUSED' } }],
  ['goes back to the queue', { kind: 'change', set: { status: 'IN_QUEUE' } }],
  ['is 404, as of one that is listed late', { kind: 'answer', status: 404 }],
];

const ofAnother = { code: 'content_policy_violation', message: 'not ours' };

const onResponse: readonly (readonly [name: string, act: Act])[] = [
  ...noise,
  ['is of another job', { kind: 'change', set: { request_id: 'of-another', error: ofAnother } }],
  ['is not there yet after all', { kind: 'answer', status: 202, body: '{"status":"IN_PROGRESS"}' }],
];

const onMedia: readonly (readonly [name: string, act: Act])[] = [
  ['is gone', { kind: 'answer', status: 404 }],
  ['is forbidden', { kind: 'answer', status: 403 }],
  ['is reset', { kind: 'reset', at: 'nothing' }],
  ['is reset in the middle', { kind: 'reset', at: 'half-body' }],
  [
    'is a page of HTML',
    { kind: 'answer', status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
  ],
  ['is empty', { kind: 'answer', status: 200, headers: { 'content-type': 'audio/wav' } }],
];

const paid = (error: string): Ending => ({ ...good([['accepted', 1]]), error });

/** However an upstream behaves after it accepted a job: it is charged once, and no client waits for ever. */
describe('a job that was accepted upstream', () => {
  let studio: Studio;
  before(async () => {
    studio = await openStudio();
  });
  after(() => studio.close());

  const endUnder = async (kind: (typeof kinds)[number], rules: readonly RuleInput[]): Promise<Ending> =>
    studio.ending(await studio.order(kind, rules));

  for (const [on, what, cases] of [
    ['status', 'whose status', onStatus],
    ['response', 'whose result', onResponse],
    ['media', 'whose medium', onMedia],
  ] as const satisfies readonly (readonly [Operation, string, typeof noise])[]) {
    for (const [name, act] of cases) {
      for (const kind of kinds) {
        test(`${what} ${name} twice ends well (${kind})`, async () => {
          assert.deepEqual(await endUnder(kind, [{ on, times: 2, act }]), good([['accepted', 1]]));
        });
      }
    }
  }

  for (const [what, rule, error] of [
    [
      'that the upstream does not know any more',
      { on: 'status', act: { kind: 'answer', status: 404, body: '{"detail":"Request not found"}' } },
      'provider_unavailable',
    ],
    ['whose medium stays away', { on: 'media', act: { kind: 'answer', status: 404 } }, 'runtime_error'],
    [
      'whose medium stays a page of HTML',
      { on: 'media', act: { kind: 'answer', status: 200, body: '<html>' } },
      'runtime_error',
    ],
    [
      'whose result names no medium',
      { on: 'response', act: { kind: 'change', set: { audio: null } } },
      'runtime_error',
    ],
    [
      'that failed there',
      {
        on: 'response',
        act: { kind: 'change', set: { error: { code: 'content_policy_violation', message: 'no' } } },
      },
      'content_policy_violation',
    ],
  ] as const satisfies readonly (readonly [string, RuleInput, string])[]) {
    test(`${what} ends as ${error}, paid for`, async () => {
      assert.deepEqual(await endUnder('replay', [rule]), paid(error));
    });
  }

  test('that is cancelled is cancelled there, and what it cost stays written down', async () => {
    const { gateway, key, upstream } = studio;
    await upstream.play({});
    const { status: polls } = await upstream.counts();
    const order = await studio.order('none', [
      { on: 'status', act: { kind: 'change', set: { status: 'IN_PROGRESS' } } },
    ]);
    const path = `/v1/queue/${modelOf.none}/requests/${order.id}`;
    await until(async () => (await upstream.counts()).status > polls, 'a poll of the accepted job');
    assert.equal((await gateway.ask('GET', `${path}/status`, { key })).body.status, 'IN_PROGRESS');
    assert.equal((await gateway.ask('PUT', `${path}/cancel`, { key })).status, 202);
    assert.deepEqual(await studio.ending(order), paid('cancelled'));
    assert.equal(
      upstream.ledger().some(entry => entry.kind === 'cancel' && entry.mark === order.mark),
      true,
    );
  });
});
