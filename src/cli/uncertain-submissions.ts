import { systemClock } from '../domain/clock.ts';
import { parseJobId } from '../domain/ids.ts';
import {
  listUncertainSubmissions,
  resolveUncertainSubmission,
  type UncertainResolution,
} from '../store/attempts/uncertain.ts';
import { availableTopic } from '../store/db/connection.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

export async function listUncertainCommand({ json }: { readonly json?: true }): Promise<void> {
  const doubts = await withStore(db => listUncertainSubmissions(db));
  const rows = doubts.map(doubt => ({
    request_id: doubt.jobId,
    user: doubt.userName,
    model: doubt.modelId,
    provider: doubt.provider,
    account: doubt.account,
    dedupe_key: doubt.dedupeKey,
    calls: doubt.sends,
    sent_at: new Date(doubt.sentAt).toISOString(),
    doubted_at: new Date(doubt.doubtedAt).toISOString(),
    ended_as: doubt.error?.code ?? doubt.state,
    why: doubt.reason,
  }));
  if (json) return print(JSON.stringify(rows));
  if (rows.length === 0) return print('No doubts: every call that may have been charged has a certain end.');
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
        row.why ?? 'no answer was seen',
      ].join('  '),
    );
  }
  print('\nLook for the key in the upstream, then: atelier doubts adopt | give-up | send-again <request_id>');
}

export async function resolveChargedCommand(jobId: string, upstreamId: string): Promise<void> {
  const made = await resolveUncertain(jobId, { kind: 'adopted', upstreamId });
  print(`Settled. Job ${made} of the same user fetches ${upstreamId}.`);
}

export async function resolveNotChargedCommand(jobId: string): Promise<void> {
  await resolveUncertain(jobId, { kind: 'given_up' });
  print('Settled: nothing more is done.');
}

export async function resendUncertainCommand(
  jobId: string,
  { acceptASecondCharge }: { readonly acceptASecondCharge?: true },
): Promise<void> {
  if (!acceptASecondCharge)
    throw new CommandError(
      'The first call may have been charged, and this one will be. Say so: --accept-a-second-charge',
    );
  const made = await resolveUncertain(jobId, { kind: 'sent_again' });
  print(`Settled. Job ${made} of the same user is in line.`);
}

async function resolveUncertain(text: string, settlement: UncertainResolution): Promise<string | null> {
  const jobId = parseJobId(text);
  const settled =
    jobId &&
    (await withStore(async db => {
      const done = await resolveUncertainSubmission(db, jobId, settlement, systemClock.now());
      db.announce(availableTopic);
      return done;
    }));
  if (settled?.kind === 'settled') return settled.newJobId;
  throw new CommandError(`There is no unsettled doubt about ${text}. See: atelier doubts`);
}
