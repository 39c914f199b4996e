/** Top-ups and adjustments in the admin API: entries that operators post by hand. */
import { postedEntrySchema } from '../../answers/admin/money.ts';
import { jobIdFromRow, keyIdFromRow } from '../../domain/ids.ts';
import { formatAmount, formatAmountOrNull } from '../../domain/money.ts';
import { refuse } from '../../domain/refusal.ts';
import { availableOf } from '../../store/money/accounts.ts';
import { correctCharge } from '../../store/money/correct-charge.ts';
import type { AccountOwner } from '../../store/money/owners.ts';
import { findProject, type ManualEntry, type MoneyChange, postEntry } from '../../store/money/projects.ts';
import type { HttpContext } from '../http-context.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import { readAmount, refuseAmount } from './read-amount.ts';
import { tagIdOf } from './tags.ts';

/** A top-up or an adjustment of a project, a key, a tag or a job, once for each idempotency key. */
export const postMoneyEntry: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/money/entries',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: [
    ...(['input_invalid', 'project_unknown', 'key_unknown', 'tag_unknown', 'job_unknown'] as const),
    ...jsonBodyRefusals,
  ],
  answers: {
    200: { description: 'What was posted.', body: postedEntrySchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const { project, key, tag, request_id: job, ...given } = await readAdminBody(request, entryFields);
      const change = { actor, now: context.clock.now() };
      if (job !== undefined) return correctJob(context, job, readEntry(given), change);
      const owner = await readOwner(context, { project, key, tag });
      const entry = readEntry(given);
      // A second request with the same idempotency key posts nothing and is answered the same.
      const posted = await postEntry(context.db, owner, entry, change);
      if (posted.kind === 'unknown') throw refuse(unknownOwners[owner.kind]);
      if (posted.kind === 'unlimited')
        refuseField('kind', `the ${owner.kind} has no limit that could be topped up`);
      const { account } = posted;
      return {
        object: 'money_posting',
        repeated: posted.kind === 'repeated',
        account: account.id,
        available: formatAmountOrNull(availableOf(account)),
      };
    },
};

const unknownOwners = { project: 'project_unknown', key: 'key_unknown', tag: 'tag_unknown' } as const;

/** A late charge or credit of an upstream, in every account that paid for the job. */
async function correctJob({ db }: HttpContext, job: unknown, entry: ManualEntry, change: MoneyChange) {
  if (typeof job !== 'string') refuseField('request_id', 'must be the id of a job');
  if (entry.kind !== 'adjustment') refuseField('kind', 'must be adjustment for a job');
  const corrected = await correctCharge(db, jobIdFromRow(job), entry, change);
  if (corrected.kind === 'unknown') throw refuse('job_unknown');
  if (corrected.kind === 'open') refuseField('request_id', 'the job is still held');
  const charged = formatAmount(corrected.charged);
  if (corrected.kind === 'too_much')
    refuseField('amount', `the job was charged ${charged} ${corrected.currency}: a credit cannot be more`);
  return { object: 'money_posting', repeated: corrected.kind === 'repeated', request_id: job, charged };
}

/** Members of the body; others are refused. */
const entryFields = [
  ...(['project', 'key', 'tag', 'request_id'] as const),
  ...(['kind', 'amount', 'reason', 'idempotency_key'] as const),
] as const;

/** The project by its name, the key by its id, or the tag. */
async function readOwner(
  { db }: HttpContext,
  { project, key, tag }: Readonly<Record<'project' | 'key' | 'tag', unknown>>,
): Promise<AccountOwner> {
  if ([project, key, tag].filter(given => given !== undefined).length !== 1)
    refuseField('project', 'give one of project, its name; key, its id; tag; and request_id, of a job');
  if (tag !== undefined) return { kind: 'tag', id: tagIdOf(tag) };
  if (typeof key === 'string') return { kind: 'key', id: keyIdFromRow(key) };
  const found = typeof project === 'string' ? await findProject(db, project) : null;
  if (!found) throw refuse('project_unknown');
  return { kind: 'project', id: found.id };
}

/** Characters of a reason and of an idempotency key. */
const maxText = 200;

/** The entry that the body describes. A top-up is positive, an adjustment may be negative, and neither is 0. */
function readEntry({
  kind,
  amount,
  reason,
  idempotency_key: idempotencyKey,
}: Readonly<Record<string, unknown>>): ManualEntry {
  if (kind !== 'top_up' && kind !== 'adjustment') refuseField('kind', 'must be top_up or adjustment');
  const micros = readAmount('amount', amount);
  if (micros === 0 || (kind === 'top_up' && micros < 0)) refuseAmount('amount');
  return {
    kind,
    amount: micros,
    reason: readText('reason', reason),
    idempotencyKey: readText('idempotency_key', idempotencyKey),
  };
}

/** A text of the body; control characters are refused, because reasons are printed to terminals. */
function readText(name: string, given: unknown): string {
  if (typeof given !== 'string' || given.trim() === '' || given.length > maxText || /\p{Cc}/u.test(given))
    refuseField(name, `must be 1 to ${maxText} characters`);
  return given;
}
