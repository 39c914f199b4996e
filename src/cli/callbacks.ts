/** `atelier callbacks`: lists webhooks (callbacks), redelivers them and replaces their signing secrets. */
import { openVerifiedCallbackSecrets } from '../app/start-checks.ts';
import { openSecrets } from '../config/secrets.ts';
import { parseTime, systemClock } from '../domain/clock.ts';
import { parseDeliveryId } from '../domain/ids.ts';
import { openCallbackSecrets } from '../store/callbacks/callback-secrets.ts';
import { listDeliveries } from '../store/callbacks/deliveries.ts';
import { redeliver, redeliverFailed } from '../store/callbacks/redeliver.ts';
import { CommandError } from './command-error.ts';
import { isoTime, print } from './print.ts';
import { withStore } from './with-store.ts';

/** The newest deliveries; older ones are read through the admin API. */
const listLimit = 1_000;

/** Options of `callbacks list`. */
interface ListOptions {
  /** Only deliveries that failed for good. */
  readonly failed?: true;
  /** One JSON array instead of lines. */
  readonly json?: true;
}

/** Prints the newest deliveries of all users. */
export async function listCallbacksCommand({ failed, json }: ListOptions): Promise<void> {
  const query = { jobId: null, userName: null, after: null, limit: listLimit };
  const deliveries = await withStore(db => listDeliveries(db, { ...query, state: failed ? 'failed' : null }));
  const rows = deliveries.map(delivery => ({
    id: delivery.id,
    request_id: delivery.jobId,
    user: delivery.userName,
    status: delivery.status,
    state: delivery.state,
    url: delivery.url,
    tries: delivery.attempts,
    created_at: isoTime(delivery.createdAt),
    due_at: delivery.state === 'waiting' ? isoTime(delivery.dueAt) : null,
    ended_at: isoTime(delivery.endedAt),
  }));
  if (json) return print(JSON.stringify(rows));
  if (rows.length === 0) return print(failed ? 'No callback failed.' : 'No callbacks yet.');
  for (const row of rows) {
    const state = row.due_at ? `due ${row.due_at}` : `${row.state} ${row.ended_at}`;
    const attempts = row.tries === 1 ? '1 attempt' : `${row.tries} attempts`;
    print([row.id, row.request_id ?? '-', row.user, row.status, state, attempts, row.url].join('  '));
  }
}

/** Queues one delivery again by its id, or all final ones that failed since a time. */
export async function redeliverCommand(
  id: string | undefined,
  { failedSince }: { readonly failedSince?: string },
): Promise<void> {
  if ((id === undefined) === (failedSince === undefined))
    throw new CommandError('Name either the msg_… id of a callback or --failed-since TIME.');
  if (id !== undefined) return redeliverOne(id);
  const since = parseTime(failedSince!);
  if (since === null)
    throw new CommandError('--failed-since must be a time such as 2026-05-21T07:30Z, or Unix seconds');
  const count = await withStore(db =>
    redeliverFailed(db, since, { actor: 'operator', now: systemClock.now() }),
  );
  print(`${count === 1 ? '1 callback is' : `${count} callbacks are`} queued for redelivery.`);
}

/** The id is parsed first: a malformed one is reported as unknown. */
async function redeliverOne(text: string): Promise<void> {
  const id = parseDeliveryId(text);
  const redelivery = id
    ? await withStore(db => redeliver(db, id, { actor: 'operator', now: systemClock.now() }))
    : 'unknown';
  if (redelivery === 'unknown')
    throw new CommandError(`There is no callback ${text}. See: atelier callbacks list`);
  if (redelivery === 'refused')
    throw new CommandError(`Callback ${text} was not requeued: a later event of the same job replaced it.`);
  print(`Callback ${text} is queued for redelivery.`);
}

/** Prints a new signing secret of one user; for a day both secrets sign. */
export async function rotateSecretCommand({ user }: { readonly user: string }): Promise<void> {
  const rotated = await withStore(async (db, config) => {
    const { secret } = await openSecrets(config);
    return (await openVerifiedCallbackSecrets(db, secret)).rotate(user, systemClock.now());
  });
  if (!rotated) throw new CommandError(`There is no user ${user}. See: atelier keys list`);
  print(
    `${rotated.secret}\n\nThe callbacks of ${user} are signed with this secret from now on, and with the old one as well until ${isoTime(rotated.previousEndsAt)}.`,
  );
}

/** For a master secret that was lost or changed: the signing secrets that it encrypted cannot be read any more. */
export async function renewSecretsCommand(): Promise<void> {
  await withStore(async (db, config) => {
    const { secret } = await openSecrets(config);
    await openCallbackSecrets(db, secret).renewAll(systemClock.now());
  });
  print(
    'Every user has a new webhook secret; old secrets are no longer used. Receivers read the new one at GET /v1/webhooks/default/secret.',
  );
}
