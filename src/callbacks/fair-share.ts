import { parseQueueKey } from '../domain/delivery.ts';

export interface ConcurrencyLimits {
  /** Callbacks in flight at once, all together. */
  readonly total: number;
  readonly perUser: number;
  readonly perHost: number;
}

type ParsedQueueKey = ReturnType<typeof parseQueueKey>;

/**
 * How many deliveries each of these lines may put in flight beside those that are. A free slot goes to the user
 * who has the fewest, and there to the host that has the fewest: whoever is slow fills his own share alone.
 */
export function allocateSlots(
  names: readonly string[],
  inFlight: readonly string[],
  shares: ConcurrencyLimits,
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
  let lines = names.map(parseQueueKey);
  for (let free = shares.total - inFlight.length; free > 0; free--) {
    lines = lines.filter(line => ofUser(line) < shares.perUser && ofHost(line) < shares.perHost);
    const [first, ...rest] = lines;
    if (!first) break;
    const next = rest.reduce(
      (best, line) =>
        ofUser(line) < ofUser(best) || (ofUser(line) === ofUser(best) && ofHost(line) < ofHost(best))
          ? line
          : best,
      first,
    );
    take(next);
    granted.set(next.name, (granted.get(next.name) ?? 0) + 1);
  }
  return granted;
}
