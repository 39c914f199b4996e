/** The part of the conformance suite about odd answers: whatever an upstream writes, a job is charged once and named. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listUncertainSubmissions } from '../../src/store/attempts/uncertain.ts';
import { jsonAnswer, type Truth } from '../../testkit/upstream/answer.ts';
import type { UpstreamJob } from '../../testkit/upstream/jobs.ts';
import { type Ending, good } from '../../testkit/upstream/studio.ts';
import type { Protocol } from '../../testkit/upstreams/protocol.ts';
import type { Conformance, ResultPlace } from './description.ts';
import type { ProviderBench } from './provider-bench.ts';

/** A protocol whose true answers a test changes for its own time. */
export interface ChangeableProtocol {
  readonly protocol: Protocol;
  /** The change of this answer until the next call; null: none. */
  change(changes: AnswerChanges | null): void;
}

interface AnswerChanges {
  readonly created?: (truth: Truth) => Truth;
  readonly status?: (truth: Truth) => Truth;
  readonly response?: (truth: Truth) => Truth;
  /** The answer of a list. */
  readonly list?: (truth: Truth) => Truth;
  /** The jobs that a list names. */
  readonly listed?: (jobs: readonly UpstreamJob[]) => readonly UpstreamJob[];
}

export function changeable(protocol: Protocol): ChangeableProtocol {
  let changes: AnswerChanges = {};
  const { status, response, listed } = protocol;
  return {
    protocol: {
      ...protocol,
      created(job, places) {
        const truth = protocol.created(job, places);
        return changes.created?.(truth) ?? truth;
      },
      ...(status && {
        status(job, places) {
          const truth = status(job, places);
          return changes.status?.(truth) ?? truth;
        },
      }),
      ...(response && {
        response(job, places) {
          const truth = response(job, places);
          return changes.response?.(truth) ?? truth;
        },
      }),
      ...(listed && {
        listed(jobs, places, request) {
          const truth = listed(changes.listed?.(jobs) ?? jobs, places, request);
          return changes.list?.(truth) ?? truth;
        },
      }),
    },
    change(wanted) {
      changes = wanted ?? {};
    },
  };
}

/** No provider reads it as a result; `paid` is what an operator has to see of it. */
const oddItem = { odd: 'paid', filename: ['paid'], inlineData: 'paid' };

export function oddAnswers(
  wanted: Conformance,
  at: () => ProviderBench,
  upstream: Pick<ChangeableProtocol, 'change'>,
): void {
  describe('odd answers', () => {
    oddResults(wanted, at, upstream);
    oddAcceptances(wanted, at);
    if (wanted.protocol.dedupe === 'lookup') oddLists(wanted, at, upstream);
  });
}

/** Successes of a run with null, odd or unreadable members. */
export function oddResults(
  { body, result }: Conformance,
  at: () => ProviderBench,
  upstream: Pick<ChangeableProtocol, 'change'>,
): void {
  const { on, path, mayBeNull } = result;
  const endWith = async (change: (json: unknown) => unknown) => {
    upstream.change({ [on]: (truth: Truth) => changeJson(truth, change) });
    try {
      const order = await at().order(body, []);
      return { order, ending: await at().ending(order) };
    } finally {
      upstream.change(null);
    }
  };
  const stored = good([[result.isWhole ? 'done' : 'accepted', 1]]);

  test('members that are null lose nothing', async () => {
    const { ending } = await endWith(json =>
      mayBeNull.reduce((answer, place) => put(answer, place, () => null), json),
    );
    assert.deepEqual(ending, stored);
  });
  if (path === null) return;

  const withOddItems = (value: unknown) => [oddItem, ...[value].flat(), 17];
  if (result.isList)
    test('an item that cannot be read does not lose the others', async () => {
      const { ending } = await endWith(json => put(json, path, withOddItems));
      assert.deepEqual(ending, stored);
    });

  if (on === 'created' && result.isFree) return;
  test('a success whose result cannot be read is named to the operator with its answer', async () => {
    const { order, ending } = await endWith(json =>
      put(json, path, () => (result.isList ? [oddItem] : oddItem)),
    );
    assert.deepEqual(ending, {
      error: 'submission_uncertain',
      submissions: 1,
      charges: 1,
      attempts: [[on === 'created' ? 'unknown' : 'accepted', 1]],
      uncertain: result.isFree ? 0 : 1,
    });
    if (result.isFree) return;
    const named = await listUncertainSubmissions(at().gateway.gateway.db);
    const { reason, error } = named.find(({ jobId }) => jobId === order.id)!;
    assert.match(reason ?? '', /^unreadable response from the upstream: .*paid/);
    assert.doesNotMatch(JSON.stringify(error), /paid/);
  });
}

/** Answers to a submission that are good by their status, and say nothing. */
function oddAcceptances({ protocol, body, result }: Conformance, at: () => ProviderBench): void {
  const { dedupe } = protocol;
  const endings: Readonly<Record<typeof dedupe, Ending>> = {
    replay: good([['accepted', 2]]),
    lookup: good([['accepted', 1]]),
    none: {
      error: 'submission_uncertain',
      submissions: 1,
      charges: 1,
      attempts: [['unknown', 1]],
      uncertain: result.isFree ? 0 : 1,
    },
  };
  for (const text of ['null', '{}', '[null]', '{"data":null,"id":null,"code":0}'])
    test(`200 and ${text} in the place of the answer is no second charge`, async () => {
      const act = { kind: 'answer', status: 200, body: text } as const;
      const order = await at().order(body, [{ on: 'create', times: 1, act }]);
      assert.deepEqual(await at().ending(order), endings[dedupe]);
    });
}

/** Answers to the lookup of a submission that was accepted, and whose answer was lost. */
function oddLists(
  { protocol, body, result }: Conformance,
  at: () => ProviderBench,
  upstream: Pick<ChangeableProtocol, 'change'>,
): void {
  const lost = { on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } } as const;
  const charged = good([['accepted', 1]]);
  const endWith = async (changes: AnswerChanges) => {
    upstream.change(changes);
    try {
      return await at().ending(await at().order(body, [lost]));
    } finally {
      upstream.change(null);
    }
  };

  test('a list that lags behind the submission is no absence', async () => {
    let lists = 0;
    let polls = 0;
    const ending = await endWith({
      listed: jobs => (lists++ < 3 ? [] : jobs),
      // Some are looked up by the call that polls them.
      status: truth => (lists === 0 && polls++ < 3 ? protocol.missing : truth),
    });
    assert.deepEqual(ending, charged);
  });

  test('a list that names the job twice names one job', async () => {
    assert.deepEqual(await endWith({ listed: jobs => [...jobs, ...jobs] }), charged);
  });

  // Half an hour of lookups each: one is enough where nothing is charged.
  const bodies = ['{"tasks":[null],"items":[null],"data":[null]}', '{"code":500,"reason":"Internal"}'].slice(
    result.isFree ? 1 : 0,
  );
  for (const text of bodies)
    test(`200 and ${text} in the place of a list is no absence`, async () => {
      const malformed = () => ({ ...jsonAnswer(200, null), body: Buffer.from(text) });
      const ending = await endWith({ list: malformed, status: malformed });
      assert.deepEqual(ending, {
        error: 'submission_uncertain',
        submissions: 1,
        charges: 1,
        attempts: [['unknown', 1]],
        uncertain: result.isFree ? 0 : 1,
      });
    });
}

/** The answer with its JSON changed; an answer that is no JSON stays. */
function changeJson(truth: Truth, change: (json: unknown) => unknown): Truth {
  const json: unknown = JSON.parse(truth.body.toString());
  return { ...truth, body: jsonAnswer(truth.status, change(json)).body };
}

/** A copy with another value at a path; unchanged where what contains it is missing, as before the end of a run. */
function put(
  json: unknown,
  [name, ...rest]: ResultPlace['mayBeNull'][number],
  change: (value: unknown) => unknown,
): unknown {
  if (name === undefined) return change(json);
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json))
    return json.map((item, place) => (String(place) === name ? put(item, rest, change) : item));
  if (rest.length > 0 && !(name in json)) return json;
  return { ...json, [name]: put(Reflect.get(json, name), rest, change) };
}
