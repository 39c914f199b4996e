/** Checks every promise against what clients, the upstream, the rows and the receivers recorded. */
import { maxCrashes } from '../../src/domain/job.ts';
import type { Dedupe } from '../upstream/jobs.ts';
import { type Charge, chargesIn, type Entry, type Submission, submissionsIn } from '../upstream/ledger.ts';
import type { Call } from './history.ts';
import type { Receipt } from './receiver.ts';
import type { AttemptRow, JobRow, Snapshot } from './snapshot.ts';

/** Everything that was written down by three parties that know nothing of one another. */
export interface Evidence {
  readonly history: readonly Call[];
  readonly ledger: readonly Entry[];
  readonly rows: Snapshot;
  readonly receipts: readonly Receipt[];
  readonly dedupeOf: (model: string) => Dedupe;
}

export interface Violation {
  /** The promise of the design that is broken. */
  readonly promise: string;
  readonly what: string;
  /** Whose timeline tells it; null where it is not one job's. */
  readonly mark: string | null;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  readonly counts: Readonly<Record<string, number>>;
}

/** What is known of one mark: the creations of a client under one key. */
interface Story {
  readonly mark: string;
  readonly jobs: readonly JobRow[];
  readonly attempts: readonly AttemptRow[];
  readonly charges: readonly Charge[];
  readonly submissions: readonly Submission[];
  readonly creates: readonly (Call & { call: 'create' })[];
  readonly reads: readonly (Call & { call: 'read' })[];
  readonly cancels: readonly (Call & { call: 'cancel' })[];
}

export function check(evidence: Evidence): Verdict {
  const stories = tell(evidence);
  const violations = [
    ...stories.flatMap(story => [
      ...checkKept(story),
      ...checkEnd(story, evidence),
      ...checkViews(story),
      ...checkCharges(story, evidence),
      ...checkDoubts(story, evidence),
      ...checkCancels(story),
      ...checkResult(story),
    ]),
    ...checkTaskIds(evidence),
    ...checkCallbacks(evidence),
  ];
  return { violations, counts: count(stories, evidence) };
}

/** I1: what was acknowledged is there, and what was created under one key is there once. */
function checkKept({ mark, jobs, creates }: Story): readonly Violation[] {
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
    // Of several creates under one name all but one are refused; and one who lost its answer is told whose it is.
    if (
      answer.kind === 'refused' &&
      answer.code !== 503 &&
      !answer.detail.includes('already used by request')
    )
      found.push({ promise: 'I1', what: `a create was refused: ${answer.code} ${answer.detail}`, mark });
  }
  if (creates.length === 0) found.push({ promise: 'I1', what: 'nobody created this job', mark });
  return found;
}

/** I2: everything ended, and as something that the evidence explains. */
function checkEnd(story: Story, { dedupeOf }: Evidence): readonly Violation[] {
  const { mark, jobs, attempts, charges, cancels, submissions } = story;
  const wasRefused = submissions.some(entry => entry.act === 'answer 422');
  return jobs.flatMap(({ state, error, deaths, model, cancelAsked }) => {
    const unexplained = (what: string): Violation[] => [{ promise: 'I2', what, mark }];
    if (state === 'available' || state === 'running') return unexplained(`it is still ${state}`);
    switch (error) {
      case null:
        return charges.length === 1 ? [] : unexplained(`it succeeded with ${charges.length} charges`);
      case 'cancelled':
        return cancelAsked && cancels.length > 0 ? [] : unexplained('nobody cancelled it');
      case 'internal_error':
        return deaths >= maxCrashes ? [] : unexplained(`internal_error after ${deaths} deaths`);
      case 'submission_uncertain':
        // The same call made again and refused for good says nothing of the one before it, which may have
        // died on its way there: only who sent it knows that there were two.
        return dedupeOf(model) === 'none' || (wasRefused && attempts.some(({ sends }) => sends > 1))
          ? []
          : unexplained(`in doubt at an upstream with ${dedupeOf(model)}`);
      case 'invalid_input':
        return wasRefused ? [] : unexplained('the upstream refused nothing');
      default:
        return unexplained(`it ended as ${error}`);
    }
  });
}

/** I3: one client after another sees a path of states, and after COMPLETED nothing changes. */
function checkViews({ mark, reads }: Story): readonly Violation[] {
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

/** I4 and I5: at most one charge; a call only under an intent; never a second call where that may cost. */
function checkCharges(
  { mark, jobs, attempts, charges, submissions }: Story,
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

/** I5: a charge that nobody accounts for is in doubt, and a doubt has a reason. */
function checkDoubts(
  { mark, jobs, attempts, charges, submissions }: Story,
  { rows }: Evidence,
): readonly Violation[] {
  const found: Violation[] = [];
  const [job] = jobs;
  if (!job) return found;
  const doubted = attempts.filter(attempt => attempt.doubted);
  const isAccountedFor = attempts.some(({ answer }) => answer === 'accepted' || answer === 'done');
  if (charges.length > 0 && !isAccountedFor && doubted.length === 0)
    found.push({ promise: 'I5', what: 'its charge is in no row and in no doubt', mark });
  if (rows.doubts.includes(job.id) !== doubted.length > 0)
    found.push({ promise: 'I5', what: 'the list of doubts and its attempts do not agree', mark });
  // A refusal that a frozen process had to tell takes the doubt back after the end.
  const isRefusedAfterAll = attempts.at(-1)?.answer === 'refused';
  if (job.error === 'submission_uncertain' && doubted.length !== 1 && !isRefusedAfterAll)
    found.push({ promise: 'I5', what: `uncertain, and ${doubted.length} doubts are named`, mark });
  for (const { number, answer } of doubted) {
    if (answer === 'refused' || answer === 'lost')
      found.push({ promise: 'I5', what: `attempt ${number} is in doubt although it was ${answer}`, mark });
    const wasHeldByTheDead = job.rescues > 0 || job.deaths > 0;
    const wasSpoilt = submissions.some(entry => entry.act !== null);
    if (!wasHeldByTheDead && !wasSpoilt)
      found.push({ promise: 'I5', what: `attempt ${number} is in doubt without a reason`, mark });
  }
  return found;
}

/** I9: a cancel that was told OK ended the job there and then. */
function checkCancels({ mark, jobs, attempts, cancels, submissions }: Story): readonly Violation[] {
  const [job] = jobs;
  if (!job) return [];
  const found: Violation[] = [];
  const won = cancels.some(({ code }) => code === 200);
  if (won && job.error !== 'cancelled')
    found.push({
      promise: 'I9',
      what: `a cancel was told OK, and it ended as ${job.error ?? 'a success'}`,
      mark,
    });
  if (won && attempts.length === 0 && submissions.length > 0)
    found.push({ promise: 'I9', what: 'it was cancelled before any intent, and was submitted', mark });
  const codes = cancels.filter(({ code }) => code !== null && ![200, 202, 400].includes(code));
  for (const { code } of codes) found.push({ promise: 'I9', what: `a cancel was answered ${code}`, mark });
  return found;
}

/** A success gave the medium that this very job was charged for. */
function checkResult({ mark, charges, reads }: Story): readonly Violation[] {
  const known = new Set(charges.map(charge => charge.mediumSha256));
  return reads.flatMap(({ seen }): Violation[] =>
    seen.mediumSha256 === null || known.has(seen.mediumSha256)
      ? []
      : [{ promise: 'I3', what: 'its medium is not what its upstream made', mark }],
  );
}

/** I10: an external_task_id is one job's. */
function checkTaskIds({ history, rows }: Evidence): readonly Violation[] {
  const byId = Map.groupBy(
    rows.jobs.filter(job => job.externalTaskId !== null),
    job => job.externalTaskId,
  );
  const found: Violation[] = [];
  for (const [id, jobs] of byId) {
    if (jobs.length > 1)
      found.push({ promise: 'I10', what: `${jobs.length} jobs are called ${id}`, mark: null });
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

/** I11: every end was told, under one id, and nothing older was told after it. */
function checkCallbacks({ rows, receipts }: Evidence): readonly Violation[] {
  const found: Violation[] = [];
  const byJob = Map.groupBy(receipts, receipt => receipt.jobId);
  for (const job of rows.jobs.filter(({ callbackUrl }) => callbackUrl !== null)) {
    const told = byJob.get(job.id) ?? [];
    const say = (what: string) => found.push({ promise: 'I11', what, mark: job.mark });
    const firstEnd = told.findIndex(({ status }) => status === 'COMPLETED');
    if (firstEnd < 0) say('its end was never told');
    else if (told.slice(firstEnd).some(({ status }) => status !== 'COMPLETED'))
      say('an older status was told after its end');
    for (const status of ['IN_PROGRESS', 'COMPLETED']) {
      const ids = new Set(told.filter(receipt => receipt.status === status).map(({ id }) => id));
      if (ids.size > 1) say(`${status} was told under ${ids.size} ids`);
    }
    if (told.some(({ isSigned }) => !isSigned)) say('a callback was signed wrongly');
  }
  return found;
}

function tell({ history, ledger, rows }: Evidence): readonly Story[] {
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

function count(stories: readonly Story[], { ledger, rows, receipts }: Evidence): Verdict['counts'] {
  const jobs = stories.flatMap(story => story.jobs);
  const isAcked = ({ creates }: Story) => creates.some(({ answer }) => answer.kind === 'acked');
  const ends = Object.groupBy(jobs, job => job.error ?? 'success');
  return {
    created: stories.length,
    acked: stories.filter(isAcked).length,
    'stored though never acked': stories.filter(story => story.jobs.length > 0 && !isAcked(story)).length,
    'taken back from the dead': jobs.reduce((sum, job) => sum + job.rescues, 0),
    ...Object.fromEntries(Object.entries(ends).map(([end, list]) => [`ended as ${end}`, list?.length ?? 0])),
    'calls upstream': submissionsIn(ledger).length,
    'of them spoilt': submissionsIn(ledger).filter(entry => entry.act !== null).length,
    charges: chargesIn(ledger).length,
    'calls answered from the key': ledger.filter(entry => entry.kind === 'replay').length,
    'doubts named': rows.attempts.filter(attempt => attempt.doubted).length,
    'callbacks received': receipts.length,
  };
}
