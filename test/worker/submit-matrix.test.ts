/** One submission against every answer of an upstream. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hours, minutes, seconds } from '../../src/domain/clock.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import type { Dedupe } from '../../testkit/upstream/jobs.ts';
import { chargesIn } from '../../testkit/upstream/ledger.ts';
import { kinds, modelOf, modelWithFile } from '../../testkit/upstream/routing.ts';
import { type RuleInput, resetPoints } from '../../testkit/upstream/script.ts';
import { type Ending, good, openStudio, type Studio } from '../../testkit/upstream/studio.ts';

type Act = RuleInput['act'];

/** The answers that say neither that a job was made nor that none was. */
const unknownAnswers: readonly (readonly [name: string, act: Act])[] = [
  ...resetPoints.map(at => [`a reset at ${at}`, { kind: 'reset', at }] as const),
  ['a body cut in half', { kind: 'cut' }],
  ['200 without an id', { kind: 'change', set: { request_id: null } }],
  ['200 with an id that is none', { kind: 'change', set: { request_id: 7 } }],
  ['200 with HTML', { kind: 'answer', status: 200, body: '<html>Hello</html>' }],
  ['204', { kind: 'answer', status: 204 }],
  ['500', { kind: 'answer', status: 500, body: '{"detail":"Runtime execution failed"}' }],
  ['502', { kind: 'answer', status: 502, body: '<html>Bad gateway</html>' }],
  ['504', { kind: 'answer', status: 504 }],
  ['a body without end', { kind: 'endless' }],
];

/** What an unknown outcome comes to, by what the upstream offers and whether it made the job. */
const unknownEndings: Readonly<Record<Dedupe, (accepts: boolean) => Ending>> = {
  replay: () => good([['accepted', 2]]),
  lookup: accepts =>
    good(
      accepts
        ? [['accepted', 1]]
        : [
            ['refused', 1],
            ['accepted', 1],
          ],
    ),
  none: accepts => ({
    error: 'submission_uncertain',
    submissions: 1,
    charges: accepts ? 1 : 0,
    attempts: [['unknown', 1]],
    uncertain: 1,
  }),
};

/** Certain: nothing was made, and a later call may be taken. */
const pauses: readonly (readonly [name: string, act: Act])[] = [
  ['408', { kind: 'answer', status: 408 }],
  ['425', { kind: 'answer', status: 425 }],
  ['429', { kind: 'answer', status: 429, body: '{"detail":"slow down"}' }],
  ['429 with Retry-After', { kind: 'answer', status: 429, headers: { 'retry-after': '7' } }],
  ['503', { kind: 'answer', status: 503, headers: { 'retry-after': '1' } }],
  ['401', { kind: 'answer', status: 401 }],
  ['402', { kind: 'answer', status: 402 }],
  ['403', { kind: 'answer', status: 403 }],
];

/** Certain, and no later call will be taken. */
const refusals: readonly (readonly [name: string, act: Act, error: string])[] = [
  ...[400, 404, 413, 415, 422].map(
    status =>
      [
        String(status),
        { kind: 'answer', status, body: '{"detail":"prompt: is too rude"}' },
        'invalid_input',
      ] as const,
  ),
  ...[301, 302, 303, 307, 308].map(
    status =>
      [
        String(status),
        { kind: 'answer', status, headers: { location: '/v1/queue/theta-3.1-flash-tts-preview' } },
        'provider_unavailable',
      ] as const,
  ),
];

const refused = (error: string): Ending => ({
  error,
  submissions: 1,
  charges: 0,
  attempts: [['refused', 1]],
  uncertain: 0,
});

const secondTry: Ending['attempts'] = [
  ['refused', 1],
  ['accepted', 1],
];

describe('one submission', () => {
  let studio: Studio;
  before(async () => {
    studio = await openStudio();
  });
  after(() => studio.close());

  /** The end of a job whose first creation upstream meets this rule. */
  const endUnder = async (kind: Dedupe, rule: Omit<RuleInput, 'on'>): Promise<Ending> =>
    studio.ending(await studio.order(kind, [{ on: 'create', times: 1, ...rule }]));

  for (const kind of kinds) {
    describe(`to an upstream with the dedupe ${kind}`, () => {
      test('that is answered as it should is charged once', async () => {
        assert.deepEqual(await studio.ending(await studio.order(kind, [])), good([['accepted', 1]]));
      });

      for (const [name, act] of unknownAnswers) {
        for (const accepts of [true, false]) {
          test(`${name}, the job ${accepts ? '' : 'not '}made`, async () => {
            assert.deepEqual(await endUnder(kind, { accepts, act }), unknownEndings[kind](accepts));
          });
        }
      }

      for (const [name, act] of pauses) {
        test(`${name}: it is made later, and charged once`, async () => {
          assert.deepEqual(await endUnder(kind, { accepts: false, act }), good(secondTry));
        });
      }

      for (const [name, act, error] of refusals) {
        test(`${name}: it is not made, and ends as ${error}`, async () => {
          assert.deepEqual(await endUnder(kind, { accepts: false, act }), refused(error));
        });
      }

      test('is not repeated before the time that Retry-After names', async () => {
        const act: Act = { kind: 'answer', status: 429, headers: { 'retry-after': '45' } };
        const order = await studio.order(kind, [{ on: 'create', times: 1, accepts: false, act }]);
        await studio.ending(order);
        const [first, second] = await studio.gateway.gateway.db.read(
          'SELECT started_at, answered_at FROM attempts WHERE job_id = $1 ORDER BY number',
          [order.id],
        );
        assert.ok(Number(second?.started_at) - Number(first?.answered_at) >= 45 * seconds);
      });
    });
  }

  test('to an upstream that stays down fails once its attempts are used up, never charged', async () => {
    const order = await studio.order('none', [
      { on: 'create', accepts: false, act: { kind: 'answer', status: 503 } },
    ]);
    assert.deepEqual(await studio.ending(order), {
      error: 'provider_unavailable',
      submissions: 24,
      charges: 0,
      attempts: Array.from({ length: 24 }, () => ['refused', 1]),
      uncertain: 0,
    });
  });

  describe('that is repeated under its dedupe key', () => {
    for (const [name, act] of pauses) {
      test(`keeps the key when the second call is answered ${name}: the first may have been charged`, async () => {
        const order = await studio.order('replay', [
          { on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } },
          { on: 'create', times: 1, accepts: false, act },
        ]);
        assert.deepEqual(await studio.ending(order), good([['accepted', 3]]));
      });
    }

    test('is uncertain when the second call is refused for good: the first may have been charged', async () => {
      const order = await studio.order('replay', [
        { on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } },
        { on: 'create', times: 1, accepts: false, act: { kind: 'answer', status: 400 } },
      ]);
      const { error, submissions, charges, uncertain } = await studio.ending(order);
      assert.deepEqual([error, submissions, charges, uncertain], ['submission_uncertain', 2, 1, 1]);
    });

    test('is the same call, the files that were uploaded for it included', async () => {
      const form = new FormData();
      form.append('file', new File([new Uint8Array(await picture('jpeg', 640, 640))], 'house.jpg'));
      const { key, gateway } = studio;
      const file = await gateway.ask('POST', '/v1/files', { key, body: form });
      assert.equal(file.status, 200);
      const order = await studio.order(
        'replay',
        [{ on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } }],
        {
          model: modelWithFile,
          body: mark => ({ prompt: `The house in snow ${mark}`, aspect_ratio: '1:1', image: file.body.id }),
        },
      );
      assert.deepEqual(await studio.ending(order), good([['accepted', 2]]));
    });

    test('is uncertain once the upstream forgets its key', async () => {
      const act: Act = { kind: 'answer', status: 500 };
      const order = await studio.order('replay', [{ on: 'create', accepts: false, act }]);
      const { gateway } = studio;
      const sends = async () => {
        const [row] = await gateway.gateway.db.read('SELECT sends FROM attempts WHERE job_id = $1', [
          order.id,
        ]);
        gateway.clock.advance(5 * minutes);
        return Number(row?.sends) >= 3;
      };
      await until(sends, 'three calls');
      gateway.clock.advance(24 * hours);
      const { submissions, ...ending } = await studio.ending(order);
      assert.deepEqual(ending, {
        error: 'submission_uncertain',
        charges: 0,
        attempts: [['unknown', submissions]],
        uncertain: 1,
      });
      assert.ok(submissions >= 3);
    });
  });

  describe('that is looked up at its upstream', () => {
    const lost: RuleInput = { on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } };

    for (const [name, act] of [
      ['is reset', { kind: 'reset', at: 'nothing' }],
      ['is answered 500', { kind: 'answer', status: 500 }],
      ['is answered with HTML', { kind: 'answer', status: 200, body: '<html>' }],
    ] as const satisfies readonly (readonly [string, Act])[]) {
      test(`is looked up again when the look-up ${name}`, async () => {
        const order = await studio.order('lookup', [lost, { on: 'list', times: 2, act }]);
        assert.deepEqual(await studio.ending(order), good([['accepted', 1]]));
      });
    }

    test('is uncertain after half an hour without a clear answer', async () => {
      const act: Act = { kind: 'answer', status: 500 };
      const order = await studio.order('lookup', [lost, { on: 'list', act }]);
      assert.deepEqual(await studio.ending(order), {
        error: 'submission_uncertain',
        submissions: 1,
        charges: 1,
        attempts: [['unknown', 1]],
        uncertain: 1,
      });
    });

    test('is found although it arrived after the timeout of its call', async () => {
      const order = await studio.order('lookup', [{ ...lost, acceptsAfterMs: 300 }]);
      await until(async () => (await studio.upstream.counts()).list > 0, 'the first question');
      await until(
        async () => chargesIn(studio.upstream.ledger()).some(charge => charge.mark === order.mark),
        'the late arrival',
      );
      assert.deepEqual(await studio.ending(order), good([['accepted', 1]]));
    });
  });

  describe('that is uncertain when its job is cancelled', () => {
    test('is on record', async () => {
      const act: Act = { kind: 'answer', status: 500 };
      const order = await studio.order('replay', [{ on: 'create', act }]);
      const path = `/v1/queue/${modelOf.replay}/requests/${order.id}`;
      const { key, gateway } = studio;
      const waits = async () =>
        (
          await gateway.gateway.db.read(
            `SELECT id FROM jobs WHERE id = $1 AND state = 'available' AND claim = 1`,
            [order.id],
          )
        ).length > 0;
      await until(waits, 'the wait before the second call');
      assert.equal((await gateway.ask('PUT', `${path}/cancel`, { key })).status, 200);
      assert.deepEqual(await studio.ending(order), {
        error: 'cancelled',
        submissions: 1,
        charges: 1,
        attempts: [['unknown', 1]],
        uncertain: 1,
      });
    });
  });

  /** Real time passes here: a call has twenty seconds. */
  test('whose answer is always cut off has an unknown outcome', async () => {
    const act = { silence: { kind: 'silence' }, drip: { kind: 'drip', everyMs: 1000 } } as const;
    const wanted = kinds.flatMap(kind => [
      { kind, act: act.silence },
      { kind, act: act.drip },
    ]);
    const orders = await studio.orderAll(
      wanted.map(({ kind, act }) => ({ kind, rules: [{ on: 'create', times: 1, act }] })),
    );
    assert.deepEqual(
      await Promise.all(orders.map(studio.ending)),
      wanted.map(({ kind }) => unknownEndings[kind](true)),
    );
  });
});
