// Shares the free callback slots among users and hosts, so that no receiver delays another.
import { parseQueueKey } from '../domain/delivery.ts';

/** Maximum of callbacks in flight at once. */
export interface ConcurrencyLimits {
  /** In this process. */
  readonly total: number;
  readonly perUser: number;
  readonly perHost: number;
}

type ParsedQueueKey = ReturnType<typeof parseQueueKey>;

/**
 * How many more deliveries each queue may have in flight, by queue key. `inFlight` lists the key of each delivery in
 * flight, once a delivery. A free slot goes to the user with the fewest, and among that user's queues to the host with
 * the fewest: a slow receiver uses up the share of its own user alone.
 */
export function allocateSlots(
  dueQueues: readonly string[],
  inFlight: readonly string[],
  limits: ConcurrencyLimits,
): ReadonlyMap<string, number> {
  const byUser = new Map<string, number>();
  const byHost = new Map<string, number>();
  const take = ({ userId, host }: ParsedQueueKey) => {
    byUser.set(userId, (byUser.get(userId) ?? 0) + 1);
    byHost.set(host, (byHost.get(host) ?? 0) + 1);
  };
  const ofUser = ({ userId }: ParsedQueueKey) => byUser.get(userId) ?? 0;
  const ofHost = ({ host }: ParsedQueueKey) => byHost.get(host) ?? 0;
  inFlight.map(parseQueueKey).forEach(take);

  const granted = new Map<string, number>();
  let queues = dueQueues.map(parseQueueKey);
  for (let free = limits.total - inFlight.length; free > 0; free--) {
    queues = queues.filter(queue => ofUser(queue) < limits.perUser && ofHost(queue) < limits.perHost);
    const [first, ...rest] = queues;
    if (!first) break;
    const next = rest.reduce(
      (best, queue) =>
        ofUser(queue) < ofUser(best) || (ofUser(queue) === ofUser(best) && ofHost(queue) < ofHost(best))
          ? queue
          : best,
      first,
    );
    take(next);
    granted.set(next.name, (granted.get(next.name) ?? 0) + 1);
  }
  return granted;
}
