/** Projects with keys, and their jobs, for tests of money in the store. */
import assert from 'node:assert/strict';
import type { WorkerId } from '../../src/domain/ids.ts';
import { type Job, jobError, type Outcome } from '../../src/domain/job.ts';
import type { Quote } from '../../src/domain/prices.ts';
import { insertAttempt, recordAnswer } from '../../src/store/attempts/attempts.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { insertJob, type NewJob } from '../../src/store/jobs/insert.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { accountId } from '../../src/store/money/accounts.ts';
import { type AccountBalance, readBalance } from '../../src/store/money/balance.ts';
import { listEntries } from '../../src/store/money/entries.ts';
import { createProject } from '../../src/store/money/projects.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { later, newJob, start, unique } from './rows.ts';

/** Three seconds at 0.10. */
export const quote: Quote = {
  amount: 300_000,
  currency: 'USD',
  version: 'v1',
  lines: [{ unit: 'second', quantity: 3, price: 0.1 }],
  houseCost: null,
};
export const used = (quantity: number, basis: 'reported' | 'computed' = 'computed'): Outcome => ({
  kind: 'completed',
  result: { outputs: [], inferenceMs: 1 },
  usage: [{ unit: 'second', quantity, basis }],
});
export const failed: Outcome = { kind: 'failed', error: jobError('runtime_error', 'failed') };
export const uncertain: Outcome = { kind: 'failed', error: jobError('submission_uncertain', 'unknown') };

const account = { id: 'studio', slots: 1000, rate: null };

/** What a suite does with payers; database and worker are opened in its hooks, after this. */
export function openPayers(database: () => Connection, worker: () => WorkerId) {
  /** A key of a project with that limit, in millionths. */
  async function payer(limit: number | null, { floor = 0, monthly = false } = {}) {
    const wanted = { name: unique('project'), limit, monthly, floor };
    const project = await createProject(database(), wanted, { actor: 'operator', now: start });
    assert.ok(project);
    const ofKey = { userName: unique('payer'), name: null, models: null, expiresAt: null };
    const { key } = await createKey(database(), { ...ofKey, projectId: project.id }, start);
    return {
      project,
      payer: { projectId: project.id, keyId: key.id },
      owner: { userId: key.userId, keyId: key.id },
    };
  }
  type Payer = Awaited<ReturnType<typeof payer>>;

  const create = (by: Payer, wanted: Partial<NewJob> = {}, of: Quote | null = quote) => {
    const job = newJob(by.owner, { modelId: unique('model'), ...wanted });
    const reservation = { payer: by.payer, quote: of, unpriced: 'refuse' } as const;
    return insertJob(database(), job, { reservation }).then(insertion => ({ job, insertion }));
  };

  /** A job of the model that a worker has submitted, with that answer of its upstream. */
  async function submitted(
    modelId: string,
    answer: 'accepted' | 'unknown' = 'accepted',
    now = later,
  ): Promise<Job> {
    const [job] = await claimJobs(database(), { worker: worker(), modelId, limit: 1, now, account });
    assert.ok(job);
    const intent = {
      number: 1,
      provider: 'relay',
      account: 'studio',
      dedupeKey: `${job.id}-1`,
      billable: true,
    };
    assert.equal(await insertAttempt(database(), leaseOf(job), intent, now), true);
    const given =
      answer === 'accepted'
        ? ({ kind: 'accepted', ref: { id: 'theirs' } } as const)
        : ({ kind: 'unknown', error: { message: 'the connection failed' } } as const);
    await recordAnswer(database(), job.id, 1, given, now);
    return job;
  }
  const leaseOf = ({ id, claim }: Job) => ({ jobId: id, holder: worker(), claim });

  const balance = ({ project }: Payer, now = start): Promise<AccountBalance | null> =>
    readBalance(database(), { kind: 'project', id: project.id }, now);
  const figures = async (by: Payer, now = start) => {
    const { limit, spent, held, uncertain: open, available } = (await balance(by, now))!;
    return { limit, spent, held, uncertain: open, available };
  };
  const run = async (by: Payer, outcome: Outcome, answer?: 'accepted' | 'unknown') => {
    const { job } = await create(by);
    await settle(database(), leaseOf(await submitted(job.modelId, answer)), outcome, later);
    return job;
  };
  const entriesOf = async ({ project }: Payer) => {
    const id = accountId({ kind: 'project', id: project.id });
    const found = await listEntries(database(), { account: id, jobId: null, after: null, limit: 100 });
    return found.map(({ kind, amount }) => [kind, amount]);
  };
  return { payer, create, submitted, leaseOf, balance, figures, run, entriesOf };
}
