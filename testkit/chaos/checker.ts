/** Checks the promises (docs/promises.md) against the evidence of a chaos run. */
import { maxCrashes } from '../../src/domain/job.ts';
import type { Dedupe } from '../upstream/jobs.ts';
import { type Charge, chargesIn, type Entry, type Submission, submissionsIn } from '../upstream/ledger.ts';
import { checkMoney } from './check-money.ts';
import type { Call } from './history.ts';
import type { Receipt } from './receiver.ts';
import type { AttemptRow, JobRow, Snapshot } from './snapshot.ts';
import type { Violation } from './violation.ts';

/** Everything that clients, the upstream and the database recorded independently of one another. */
export interface Evidence {
  readonly history: readonly Call[];
  readonly ledger: readonly Entry[];
  readonly rows: Snapshot;
  readonly receipts: readonly Receipt[];
  readonly dedupeOf: (model: string) => Dedupe;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Everything recorded of one mark, which stands for the creates of a client under one key. */
interface JobRecord {
  readonly mark: string;
  readonly jobs: readonly JobRow[];
  readonly attempts: readonly AttemptRow[];
  readonly charges: readonly Charge[];
  readonly submissions: readonly Submission[];
  readonly creates: readonly (Call & { call: 'create' })[];
  readonly reads: readonly (Call & { call: 'read' })[];
  readonly cancels: readonly (Call & { call: 'cancel' })[];
}

/** Every violation found in the evidence, and figures of the run. */
export function check(evidence: Evidence): Verdict {
  const records = recordsIn(evidence);
  const violations = [
    ...records.flatMap(record => [
      ...checkKept(record),
      ...checkEnd(record, evidence),
      ...checkViews(record),
      ...checkCharges(record, evidence),
      ...checkUncertain(record, evidence),
      ...checkCancels(record),
      ...checkResult(record),
    ]),
    ...checkTaskIds(evidence),
    ...checkCallbacks(evidence),
    ...checkMoney(evidence.rows),
  ];
  return { violations, counts: count(records, evidence) };
}

/** I1: every acknowledged job exists, and one key makes one job. */
function checkKept({ mark, jobs, creates }: JobRecord): readonly Violation[] {
  const found: Violation[] = [];
  const acked = new Set(creates.flatMap(({ answer }) => (answer.kind === 'acked' ? answer.id : [])));
  for (const id of acked) {
    if (!jobs.some(job => job.id === id))
      found.push({ promise: 'I1', what: `the acked job ${id} is lost`, mark });
  }
  if (acked.size > 1)
    found.push({ promise: 'I1', what: `one key was acked as ${[...acked].join(', ')}`, mark });
  if (jobs.length > 1) found.push({ promise: 'I1', what: `one key made ${jobs.length} jobs`, mark });
  for (const { answer } of creates) {
    // Of several creates with one external_task_id all but one are refused, with the id of the job that has it.
    if (
      answer.kind === 'refused' &&
      answer.code !== 503 &&
      !answer.detail.includes('already used by request')
    )
      found.push({ promise: 'I1', what: `a create was refused: ${answer.code} ${answer.detail}`, mark });
  }
  if (creates.length === 0) found.push({ promise: 'I1', what: 'no client created this job', mark });
  return found;
}

/** I2: every job ended, with an outcome that the evidence explains. */
function checkEnd(record: JobRecord, { dedupeOf }: Evidence): readonly Violation[] {
  const { mark, jobs, attempts, charges, cancels, submissions } = record;
  const wasRefused = submissions.some(entry => entry.act === 'answer 422');
  return jobs.flatMap(({ state, error, crashes, model, cancelRequested }) => {
    const unexplained = (what: string): Violation[] => [{ promise: 'I2', what, mark }];
    if (state === 'available' || state === 'running') return unexplained(`it is still ${state}`);
    switch (error) {
      case null:
        return charges.length === 1 ? [] : unexplained(`it succeeded with ${charges.length} charges`);
      case 'cancelled':
        return cancelRequested && cancels.length > 0 ? [] : unexplained('no client cancelled it');
      case 'internal_error':
        return crashes >= maxCrashes ? [] : unexplained(`internal_error after ${crashes} crashes`);
      case 'submission_uncertain':
        // Where a repeated call was refused, the outcome of the first call stays unknown: it may never have
        // arrived. The upstream saw one call, only the attempt's count of sends shows two.
        return dedupeOf(model) === 'none' || (wasRefused && attempts.some(({ sends }) => sends > 1))
          ? []
          : unexplained(`uncertain at an upstream with ${dedupeOf(model)}`);
      case 'invalid_input':
        return wasRefused ? [] : unexplained('the upstream refused nothing');
      default:
        return unexplained(`it ended as ${error}`);
    }
  });
}

/** I3: reads one after another see states in their order, and after COMPLETED nothing changes. */
function checkViews({ mark, reads }: JobRecord): readonly Violation[] {
  const found: Violation[] = [];
  const ends = reads.filter(({ seen }) => seen.status === 'COMPLETED');
  const [first] = ends.toSorted((a, b) => a.end - b.end);
  if (!first) return found;
  for (const { begin, seen } of reads) {
    if (seen.code === 404) found.push({ promise: 'I1', what: 'a client did not find it', mark });
    if (begin >= first.end && seen.status !== 'COMPLETED' && seen.code < 500)
      found.push({ promise: 'I3', what: `it was COMPLETED and then ${seen.status}`, mark });
  }
  const differing = <T>(what: string, values: readonly (T | null)[]): void => {
    const distinct = new Set(values.filter(value => value !== null));
    if (distinct.size > 1)
      found.push({ promise: 'I3', what: `its ${what} changed: ${[...distinct].join(', ')}`, mark });
  };
  differing(
    'error',
    ends.map(({ seen }) => seen.error ?? 'none'),
  );
  differing(
    'result',
    ends.map(({ seen }) => seen.bodySha256),
  );
  differing(
    'medium',
    ends.map(({ seen }) => seen.mediumSha256),
  );
  return found;
}

/** I4 and I5: at most one charge; a call only after an intent; never a second call where it may be charged. */
function checkCharges(
  { mark, jobs, attempts, charges, submissions }: JobRecord,
  evidence: Evidence,
): readonly Violation[] {
  const found: Violation[] = [];
  if (charges.length > 1) found.push({ promise: 'I4', what: `it was charged ${charges.length} times`, mark });
  const sends = attempts.reduce((sum, attempt) => sum + attempt.sends, 0);
  if (submissions.length > sends)
    found.push({ promise: 'I4', what: `${submissions.length} calls under ${sends} intents`, mark });
  const [job] = jobs;
  const mayRepeat = job !== undefined && evidence.dedupeOf(job.model) === 'replay';
  for (const { number, sends: made } of attempts) {
    if (made > 1 && !mayRepeat)
      found.push({ promise: 'I5', what: `attempt ${number} was sent ${made} times`, mark });
  }
  const unanswered = attempts.slice(0, -1).find(({ answer }) => answer !== 'refused' && answer !== 'lost');
  if (unanswered)
    found.push({ promise: 'I5', what: `attempt ${unanswered.number} was open when another was made`, mark });
  return found;
}

/** I5: a charge without an answered attempt is listed as uncertain, and every uncertain attempt has a cause. */
function checkUncertain(
  { mark, jobs, attempts, charges, submissions }: JobRecord,
  { rows }: Evidence,
): readonly Violation[] {
  const found: Violation[] = [];
  const [job] = jobs;
  if (!job) return found;
  const uncertain = attempts.filter(attempt => attempt.uncertain);
  const isAccountedFor = attempts.some(({ answer }) => answer === 'accepted' || answer === 'done');
  if (charges.length > 0 && !isAccountedFor && uncertain.length === 0)
    found.push({ promise: 'I5', what: 'it was charged, but no attempt was accepted or is uncertain', mark });
  if (rows.uncertainJobIds.includes(job.id) !== uncertain.length > 0)
    found.push({
      promise: 'I5',
      what: 'the list of uncertain submissions and its attempts do not agree',
      mark,
    });
  // A refusal that a frozen process settles late resolves the uncertainty after the job ended.
  const isRefusedLate = attempts.at(-1)?.answer === 'refused';
  if (job.error === 'submission_uncertain' && uncertain.length !== 1 && !isRefusedLate)
    found.push({
      promise: 'I5',
      what: `it ended as uncertain with ${uncertain.length} uncertain attempts`,
      mark,
    });
  for (const { number, answer } of uncertain) {
    if (answer === 'refused' || answer === 'lost')
      found.push({ promise: 'I5', what: `attempt ${number} is uncertain although it was ${answer}`, mark });
    const lostItsWorker = job.requeues > 0 || job.crashes > 0;
    const metFault = submissions.some(entry => entry.act !== null);
    if (!lostItsWorker && !metFault)
      found.push({ promise: 'I5', what: `attempt ${number} is uncertain without a cause`, mark });
  }
  return found;
}

/** I9: a cancel that was answered 200 ended the job at once. */
function checkCancels({ mark, jobs, attempts, cancels, submissions }: JobRecord): readonly Violation[] {
  const [job] = jobs;
  if (!job) return [];
  const found: Violation[] = [];
  const won = cancels.some(({ code }) => code === 200);
  if (won && job.error !== 'cancelled')
    found.push({
      promise: 'I9',
      what: `a cancel was answered 200, and it ended as ${job.error ?? 'a success'}`,
      mark,
    });
  if (won && attempts.length === 0 && submissions.length > 0)
    found.push({ promise: 'I9', what: 'it was cancelled before any intent, and was submitted', mark });
  const codes = cancels.filter(({ code }) => code !== null && ![200, 202, 400].includes(code));
  for (const { code } of codes) found.push({ promise: 'I9', what: `a cancel was answered ${code}`, mark });
  return found;
}

/** I3: a success returns the medium that this job was charged for. */
function checkResult({ mark, charges, reads }: JobRecord): readonly Violation[] {
  const known = new Set(charges.map(charge => charge.mediumSha256));
  return reads.flatMap(({ seen }): Violation[] =>
    seen.mediumSha256 === null || known.has(seen.mediumSha256)
      ? []
      : [{ promise: 'I3', what: 'its medium is not what its upstream made', mark }],
  );
}

/** I10: an external_task_id belongs to one job. */
function checkTaskIds({ history, rows }: Evidence): readonly Violation[] {
  const byId = Map.groupBy(
    rows.jobs.filter(job => job.externalTaskId !== null),
    job => job.externalTaskId,
  );
  const found: Violation[] = [];
  for (const [id, jobs] of byId) {
    if (jobs.length > 1)
      found.push({ promise: 'I10', what: `${jobs.length} jobs have the external_task_id ${id}`, mark: null });
  }
  const acked = Map.groupBy(
    history.flatMap(call =>
      call.call === 'create' && call.externalTaskId !== null && call.answer.kind === 'acked'
        ? { task: call.externalTaskId, id: call.answer.id }
        : [],
    ),
    ({ task }) => task,
  );
  for (const [task, made] of acked) {
    const ids = new Set(made.map(({ id }) => id));
    if (ids.size > 1)
      found.push({ promise: 'I10', what: `${ids.size} creates of ${task} were acked`, mark: null });
  }
  return found;
}

/** I11: every end was delivered, under one id, and no older status after it. */
function checkCallbacks({ rows, receipts }: Evidence): readonly Violation[] {
  const found: Violation[] = [];
  const byJob = Map.groupBy(receipts, receipt => receipt.jobId);
  for (const job of rows.jobs.filter(({ callbackUrl }) => callbackUrl !== null)) {
    const received = byJob.get(job.id) ?? [];
    const report = (what: string) => found.push({ promise: 'I11', what, mark: job.mark });
    const firstEnd = received.findIndex(({ status }) => status === 'COMPLETED');
    if (firstEnd < 0) report('its end was never delivered');
    else if (received.slice(firstEnd).some(({ status }) => status !== 'COMPLETED'))
      report('an older status was delivered after its end');
    for (const status of ['IN_PROGRESS', 'COMPLETED']) {
      const ids = new Set(received.filter(receipt => receipt.status === status).map(({ id }) => id));
      if (ids.size > 1) report(`${status} was delivered under ${ids.size} ids`);
    }
    if (received.some(({ isSigned }) => !isSigned)) report('a callback had a wrong signature');
  }
  return found;
}

/** Groups the evidence by mark; a job without a known mark is a record of its own. */
function recordsIn({ history, ledger, rows }: Evidence): readonly JobRecord[] {
  const creates = history.filter(call => call.call === 'create');
  const jobsByMark = Map.groupBy(rows.jobs, job => job.mark);
  const attempts = Map.groupBy(rows.attempts, attempt => attempt.jobId);
  const charges = Map.groupBy(chargesIn(ledger), charge => charge.mark);
  const submissions = Map.groupBy(submissionsIn(ledger), submission => submission.mark);
  const createsByMark = Map.groupBy(creates, call => call.mark);
  const reads = Map.groupBy(
    history.filter(call => call.call === 'read'),
    call => call.id,
  );
  const cancels = Map.groupBy(
    history.filter(call => call.call === 'cancel'),
    call => call.id,
  );
  const marks = new Set([...createsByMark.keys(), ...jobsByMark.keys(), ...charges.keys()]);
  return [...marks].map(name => {
    const mark = name ?? '';
    const jobs = jobsByMark.get(mark) ?? [];
    return {
      mark,
      jobs,
      attempts: jobs.flatMap(job => attempts.get(job.id) ?? []),
      charges: charges.get(mark) ?? [],
      submissions: submissions.get(mark) ?? [],
      creates: createsByMark.get(mark) ?? [],
      reads: jobs.flatMap(job => reads.get(job.id) ?? []),
      cancels: jobs.flatMap(job => cancels.get(job.id) ?? []),
    };
  });
}

/** Figures of a run, in the order of the report. */
function count(records: readonly JobRecord[], { ledger, rows, receipts }: Evidence): Verdict['counts'] {
  const jobs = records.flatMap(record => record.jobs);
  const isAcked = ({ creates }: JobRecord) => creates.some(({ answer }) => answer.kind === 'acked');
  const ends = Object.groupBy(jobs, job => job.error ?? 'success');
  return {
    created: records.length,
    acked: records.filter(isAcked).length,
    'stored without an acknowledgement': records.filter(record => record.jobs.length > 0 && !isAcked(record))
      .length,
    'requeued after a crash': jobs.reduce((sum, job) => sum + job.requeues, 0),
    ...Object.fromEntries(Object.entries(ends).map(([end, list]) => [`ended as ${end}`, list?.length ?? 0])),
    'calls upstream': submissionsIn(ledger).length,
    'calls that met a fault': submissionsIn(ledger).filter(entry => entry.act !== null).length,
    charges: chargesIn(ledger).length,
    'calls replayed by their key': ledger.filter(entry => entry.kind === 'replay').length,
    'uncertain submissions': rows.attempts.filter(attempt => attempt.uncertain).length,
    'callbacks received': receipts.length,
  };
}
