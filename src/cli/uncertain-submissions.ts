/** `atelier uncertain`: lists and resolves submissions that may have been charged without a known outcome. */
import { systemClock } from '../domain/clock.ts';
import { parseJobId } from '../domain/ids.ts';
import {
  listUncertainSubmissions,
  resolveUncertainSubmission,
  type UncertainResolution,
} from '../store/attempts/uncertain.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** Prints every open one with what an operator needs to find it at the upstream. */
export async function listUncertainCommand({ json }: { readonly json?: true }): Promise<void> {
  const submissions = await withStore(db => listUncertainSubmissions(db));
  const rows = submissions.map(submission => ({
    request_id: submission.jobId,
    user: submission.userName,
    model: submission.modelId,
    provider: submission.provider,
    account: submission.account,
    dedupe_key: submission.dedupeKey,
    calls: submission.sends,
    sent_at: new Date(submission.sentAt).toISOString(),
    doubted_at: new Date(submission.doubtedAt).toISOString(),
    ended_as: submission.error?.code ?? submission.state,
    why: submission.reason,
    ...(submission.candidates.length > 0 && {
      candidates: submission.candidates.map(({ upstreamId, sentAt }) => ({
        upstream_id: upstreamId,
        sent_at: new Date(sentAt).toISOString(),
      })),
    }),
  }));
  if (json) return print(JSON.stringify(rows));
  if (rows.length === 0) return print('No uncertain submissions.');
  for (const row of rows) {
    const calls = row.calls === 1 ? '1 call' : `${row.calls} calls`;
    print(
      [
        row.request_id,
        row.user,
        row.model,
        `${row.provider}:${row.account}`,
        `key ${row.dedupe_key}`,
        `${calls} since ${row.sent_at}`,
        `ended as ${row.ended_as}`,
        row.why ?? 'no response received',
        ...(row.candidates ?? []).map(one => `candidate ${one.upstream_id} of ${one.sent_at}`),
      ].join('  '),
    );
  }
  print(
    '\nSearch the upstream for the dedupe key, then: atelier uncertain charged | not-charged | resend <request_id>',
  );
}

/** The upstream has the job: a new job of the same user fetches its result. */
export async function resolveChargedCommand(jobId: string, upstreamId: string): Promise<void> {
  const newJobId = await resolveUncertain(jobId, { kind: 'adopted', upstreamId });
  print(`Resolved as charged: job ${newJobId} fetches ${upstreamId}.`);
}

/** The upstream does not know the job: nothing follows. */
export async function resolveNotChargedCommand(jobId: string): Promise<void> {
  await resolveUncertain(jobId, { kind: 'given_up' });
  print('Resolved as not charged.');
}

/** The same input goes out again as a new job; needs an explicit flag, because both calls may be charged. */
export async function resendUncertainCommand(
  jobId: string,
  { acceptASecondCharge }: { readonly acceptASecondCharge?: true },
): Promise<void> {
  if (!acceptASecondCharge)
    throw new CommandError(
      'The first call may have been charged and this one will be. Confirm with --accept-a-second-charge',
    );
  const newJobId = await resolveUncertain(jobId, { kind: 'sent_again' });
  print(`Resent: job ${newJobId} is queued.`);
}

/** The id of the new job; null where the resolution creates none. */
async function resolveUncertain(text: string, resolution: UncertainResolution): Promise<string | null> {
  const jobId = parseJobId(text);
  const resolved =
    jobId && (await withStore(db => resolveUncertainSubmission(db, jobId, resolution, systemClock.now())));
  if (resolved?.kind === 'settled') return resolved.newJobId;
  throw new CommandError(`There is no open uncertain submission of job ${text}. See: atelier uncertain`);
}
