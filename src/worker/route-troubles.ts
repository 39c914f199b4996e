// Routes that cannot work: an upstream that refuses every job of a model for its account's sake, for a quarter of an hour.
import type { Logger } from 'pino';
import { type Clock, hours, minutes } from '../domain/clock.ts';
import type { ProviderError } from '../domain/provider.ts';
import type { Connection } from '../store/db/connection.ts';
import {
  clearRouteTroubles,
  type RouteKey,
  type RouteTrouble,
  recordRouteTrouble,
} from '../store/jobs/route-troubles.ts';

/** How long the same refusal lasts before jobs no longer wait for the route: time to charge a balance, or to fix a key. */
const patienceMs = 15 * minutes;
/** While a refusal is younger than this, a job of an unusable route is refused without a call. */
const freshMs = 1 * minutes;
/** Jobs that wait are retried every five minutes at most; refusals further apart say nothing of the time between. */
const longestGapMs = 1 * hours;

/** What this process knows of its routes; the rows in the database are for the operator, and for a start of the count. */
export interface RouteTroubles {
  /** Records a refusal for the account's sake. True where the route is unusable by now. */
  record(route: RouteKey, error: ProviderError): Promise<boolean>;
  /** Records a success; free while the route had no trouble. */
  clear(route: RouteKey): Promise<void>;
  /** Deletes the troubles of all routes. */
  forget(): Promise<void>;
  /** The upstream's last sentence, where jobs of the route are to be refused without a call; else null. */
  refusal(route: RouteKey): string | null;
}

export function openRouteTroubles({
  db,
  clock,
  log,
}: {
  readonly db: Connection;
  readonly clock: Clock;
  readonly log: Logger;
}): RouteTroubles {
  const known = new Map<string, RouteTrouble>();
  const keyOf = ({ account, modelId }: RouteKey) => `${account} ${modelId}`;
  return {
    async record(route, error) {
      const wasUnusable = isUnusable(known.get(keyOf(route)));
      const { account, modelId } = route;
      const { message, upstream } = error;
      const seen = { account, modelId, code: upstream?.code ?? error.code, message };
      const trouble = await recordRouteTrouble(db, { ...seen, now: clock.now(), longestGapMs });
      known.set(keyOf(route), trouble);
      if (!isUnusable(trouble)) return false;
      if (!wasUnusable)
        log.error(
          { account, model: modelId, reason: message },
          'route unusable, its jobs go elsewhere or fail',
        );
      return true;
    },
    async clear(route) {
      if (!known.delete(keyOf(route))) return;
      await clearRouteTroubles(db, route);
    },
    async forget() {
      known.clear();
      await clearRouteTroubles(db);
    },
    refusal(route) {
      const trouble = known.get(keyOf(route));
      if (!isUnusable(trouble) || clock.now() - trouble.seenAt >= freshMs) return null;
      return trouble.message;
    },
  };
}

const isUnusable = (trouble: RouteTrouble | undefined): trouble is RouteTrouble =>
  trouble !== undefined && trouble.seenAt - trouble.since >= patienceMs;
