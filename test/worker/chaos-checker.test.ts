/** The checker of the chaos harness finds each kind of violation. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { check, type Evidence } from '../../testkit/chaos/checker.ts';
import type { Call, Seen } from '../../testkit/chaos/history.ts';
import type { AttemptRow, HoldRow, JobRow } from '../../testkit/chaos/snapshot.ts';
import type { Charge, Submission } from '../../testkit/upstream/ledger.ts';
import { dedupeOf, modelOf } from '../../testkit/upstream/routing.ts';

const mark = 'mark-a';
const id = 'job-1';

const job = (change: Partial<JobRow> = {}): JobRow => ({
  id,
  model: modelOf.replay,
  mark,
  state: 'completed',
  error: null,
  crashes: 0,
  claim: 1,
  requeues: 0,
  cancelRequested: false,
  externalTaskId: null,
  callbackUrl: null,
  ...change,
});

const attempt = (change: Partial<AttemptRow> = {}): AttemptRow => ({
  jobId: id,
  number: 1,
  dedupeKey: 'job-1-1',
  answer: 'accepted',
  sends: 1,
  uncertain: false,
  ...change,
});

const submission = (number: number, act: string | null = null): Submission => ({
  kind: 'submission',
  at: number,
  number,
  key: 'key-replay',
  model: modelOf.replay,
  mark,
  idempotencyKey: null,
  task: null,
  bodySha256: '',
  act,
  accepts: true,
});

const charge = (number: number): Charge => ({
  kind: 'charge',
  at: number,
  submission: number,
  id: `upstream-${number}`,
  key: 'key-replay',
  model: modelOf.replay,
  mark,
  task: null,
  mediumSha256: `medium-${number}`,
});

const create = (change: Partial<Call & { call: 'create' }> = {}): Call => ({
  client: 'c0',
  begin: 0,
  end: 1,
  call: 'create',
  mark,
  model: modelOf.replay,
  idempotencyKey: 'key',
  externalTaskId: null,
  answer: { kind: 'acked', id },
  ...change,
});

const read = (begin: number, seen: Partial<Seen> = {}): Call => ({
  client: 'c0',
  begin,
  end: begin + 1,
  call: 'read',
  id,
  seen: {
    code: 200,
    status: 'COMPLETED',
    error: null,
    bodySha256: 'body',
    mediumSha256: 'medium-1',
    ...seen,
  },
});

const cancel = (code: number): Call => ({ client: 'c0', begin: 2, end: 3, call: 'cancel', id, code });
const unfinished = { bodySha256: null, mediumSha256: null };

/** One job that went well. */
const good: Evidence = {
  history: [create(), read(2, { status: 'IN_PROGRESS', ...unfinished }), read(4), read(6)],
  ledger: [submission(1), charge(1)],
  ...rows([job()]),
  receipts: [],
  dedupeOf,
};

function holdOf({ id: jobId, state }: JobRow, isUncertain: boolean): HoldRow {
  if (isUncertain) return { jobId, state: 'uncertain', charged: null };
  return state === 'completed'
    ? { jobId, state: 'settled', charged: 40_000 }
    : { jobId, state: 'released', charged: 0 };
}

function rows(jobs: readonly JobRow[], attempts: readonly AttemptRow[] = [attempt()]) {
  const uncertainJobIds = attempts.filter(({ uncertain }) => uncertain).map(({ jobId }) => jobId);
  const holds = jobs.map(row => holdOf(row, uncertainJobIds.includes(row.id)));
  return { rows: { jobs, attempts, uncertainJobIds, holds, moneyFaults: [] as readonly string[] } };
}
/** One job that went well, with other books. */
const books = (change: Partial<Evidence['rows']>) => ({ rows: { ...rows([job()]).rows, ...change } });
const failed = (error: string, change: Partial<JobRow> = {}) =>
  job({ state: error === 'cancelled' ? 'cancelled' : 'failed', error, ...change });
const ended = (error: string) => [create(), read(4, { error, mediumSha256: null })];
const uncertain = failed('submission_uncertain', { model: modelOf.none });
const receipt = { id: 'msg-1', jobId: id, status: 'COMPLETED', isSigned: true };
const called = { ...rows([job({ callbackUrl: 'http://receiver.test' })]) };

/** What breaks a promise, and which. */
const broken: readonly (readonly [what: string, promise: string, change: Partial<Evidence>])[] = [
  ['an acked job that is not there', 'I1', rows([], [])],
  ['two jobs under one key', 'I1', rows([job(), job({ id: 'job-2' })])],
  [
    'one key acked as two jobs',
    'I1',
    { history: [...good.history, create({ answer: { kind: 'acked', id: 'job-2' } })] },
  ],
  ['a job that was never created', 'I1', { history: [] }],
  [
    'a create that is refused',
    'I1',
    { history: [...good.history, create({ answer: { kind: 'refused', code: 400, detail: '' } })] },
  ],
  [
    'a job that a client does not find',
    'I1',
    { history: [...good.history, read(8, { code: 404, status: null, ...unfinished })] },
  ],
  ['a balance that is not the sum of its entries', 'I25', books({ moneyFaults: ['project:a: posted is 1'] })],
  ['a job without a hold', 'I26', books({ holds: [] })],
  [
    'a hold of a success that was released',
    'I26',
    books({ holds: [{ jobId: id, state: 'released', charged: 0 }] }),
  ],
  ['an account below its floor', 'I27', books({ moneyFaults: ['project:a: below its floor'] })],
  ['a job that never ended', 'I2', rows([job({ state: 'running' })])],
  ['a success without a charge', 'I2', { ledger: [submission(1)], history: [create()] }],
  ['a cancelled job without a cancel', 'I2', { ...rows([failed('cancelled')]), history: ended('cancelled') }],
  [
    'an internal error without crashes',
    'I2',
    { ...rows([failed('internal_error')]), history: ended('internal_error') },
  ],
  [
    'a refusal that the upstream never said',
    'I2',
    { ...rows([failed('invalid_input')]), history: ended('invalid_input') },
  ],
  [
    'an end that nothing explains',
    'I2',
    { ...rows([failed('runtime_error')]), history: ended('runtime_error') },
  ],
  [
    'an uncertain submission at an upstream that replays',
    'I2',
    {
      ...rows(
        [failed('submission_uncertain', { requeues: 1 })],
        [attempt({ answer: null, uncertain: true })],
      ),
      history: ended('submission_uncertain'),
    },
  ],
  [
    'a job that leaves COMPLETED',
    'I3',
    { history: [...good.history, read(8, { status: 'IN_QUEUE', ...unfinished })] },
  ],
  [
    'an error that changes',
    'I3',
    { history: [...good.history, read(8, { error: 'expired', mediumSha256: null })] },
  ],
  ['a result that changes', 'I3', { history: [...good.history, read(8, { bodySha256: 'other' })] }],
  ['the medium of another job', 'I3', { history: [create(), read(4, { mediumSha256: 'other' })] }],
  [
    'a second charge',
    'I4',
    {
      ledger: [...good.ledger, submission(2), charge(2)],
      ...rows([failed('cancelled', { cancelRequested: true })], [attempt({ sends: 2 })]),
      history: [...ended('cancelled'), cancel(202)],
    },
  ],
  ['a call without an intent', 'I4', { ledger: [...good.ledger, submission(2)] }],
  ['a second call where that may cost', 'I5', rows([job({ model: modelOf.none })], [attempt({ sends: 2 })])],
  [
    'a second attempt beside an open one',
    'I5',
    rows([job()], [attempt({ answer: 'unknown' }), attempt({ number: 2 })]),
  ],
  [
    'a charge without an attempt',
    'I5',
    {
      ...rows([failed('cancelled', { cancelRequested: true })], [attempt({ answer: null })]),
      history: [...ended('cancelled'), cancel(202)],
    },
  ],
  [
    'an uncertain job that is not on record',
    'I5',
    { ...rows([uncertain]), history: ended('submission_uncertain') },
  ],
  [
    'an uncertain submission that is not on the list',
    'I5',
    {
      rows: {
        ...rows([{ ...uncertain, requeues: 1 }], [attempt({ answer: null, uncertain: true })]).rows,
        uncertainJobIds: [],
      },
      history: ended('submission_uncertain'),
    },
  ],
  [
    'an uncertain submission of a refused call',
    'I5',
    {
      ...rows(
        [failed('cancelled', { cancelRequested: true, requeues: 1 })],
        [attempt({ answer: 'refused', uncertain: true })],
      ),
      history: [...ended('cancelled'), cancel(202)],
    },
  ],
  [
    'an uncertain submission without a reason',
    'I5',
    {
      ...rows([uncertain], [attempt({ answer: null, uncertain: true })]),
      history: ended('submission_uncertain'),
    },
  ],
  ['a cancel that was answered OK and did nothing', 'I9', { history: [...good.history, cancel(200)] }],
  ['a cancel that is answered with trouble', 'I9', { history: [...good.history, cancel(500)] }],
  [
    'a name that two jobs have',
    'I10',
    {
      ...rows([
        job({ externalTaskId: 'task' }),
        job({ id: 'job-2', mark: 'mark-b', externalTaskId: 'task', state: 'failed', error: 'invalid_input' }),
      ]),
      history: [...good.history, create({ mark: 'mark-b', answer: { kind: 'maybe' } })],
      ledger: [...good.ledger, { ...submission(2, 'answer 422'), mark: 'mark-b' }],
    },
  ],
  ['an end without a callback', 'I11', called],
  [
    'an older status after the end',
    'I11',
    { ...called, receipts: [receipt, { ...receipt, id: 'msg-0', status: 'IN_PROGRESS' }] },
  ],
  ['an end under two ids', 'I11', { ...called, receipts: [receipt, { ...receipt, id: 'msg-2' }] }],
  ['a callback that is signed wrongly', 'I11', { ...called, receipts: [{ ...receipt, isSigned: false }] }],
];

describe('the checker of the chaos harness', () => {
  test('finds nothing where everything went well', () => {
    assert.deepEqual(check(good).violations, []);
    assert.deepEqual(check({ ...good, ...called, receipts: [receipt, receipt] }).violations, []);
  });

  test('counts what happened', () => {
    const { counts } = check(good);
    assert.deepEqual(
      [counts.created, counts.acked, counts['ended as success'], counts.charges],
      [1, 1, 1, 1],
    );
  });

  for (const [what, promise, change] of broken) {
    test(`finds ${what}`, () => {
      const found = new Set(check({ ...good, ...change }).violations.map(violation => violation.promise));
      assert.ok(found.has(promise), `expected ${promise}, got ${[...found]}`);
    });
  }

  test('accepts an uncertain submission that a crash explains', () => {
    const requeued = { ...uncertain, requeues: 1 };
    const evidence = {
      ...good,
      ...rows([requeued], [attempt({ answer: null, uncertain: true })]),
      history: ended('submission_uncertain'),
    };
    assert.deepEqual(check(evidence).violations, []);
  });

  test('accepts an uncertain submission whose repeated call was refused, though the first never arrived', () => {
    const evidence = {
      ...good,
      ledger: [submission(1, 'answer 422')],
      ...rows(
        [failed('submission_uncertain', { requeues: 1 })],
        [attempt({ answer: 'unknown', sends: 2, uncertain: true })],
      ),
      history: ended('submission_uncertain'),
    };
    assert.deepEqual(check(evidence).violations, []);
  });
});
