import { seconds } from '../domain/clock.ts';
import { type Delivery, queueKey } from '../domain/delivery.ts';
import { type SpanResult, withSpan } from '../domain/tracing.ts';
import { openWakeup } from '../domain/wakeup.ts';
import {
  claimDeliveries,
  type DeliveryAttemptResult,
  findDueQueues,
  settleDelivery,
} from '../store/callbacks/deliveries.ts';
import { deliveryTopic, StoreUnavailable } from '../store/db/connection.ts';
import { retryWrite, storeRetryMs } from '../store/db/retry-write.ts';
import { allocateSlots } from './fair-share.ts';
import { type CallbackContext, sendCallback } from './send.ts';

/** Nobody tells of a try that became due, and a hint may be lost. */
const claimIntervalMs = 1 * seconds;
/** How long tries in flight may take once we stop; then they are broken off and given back. */
const drainTimeoutMs = 4 * seconds;
/** Of one process. */
const concurrencyLimits = { total: 256, perUser: 32, perHost: 4 };
/** Lines looked at in one statement. */
const queuesPerPage = 500;

export interface CallbackDispatcher {
  /** Claims nothing more and resolves when nothing is in flight. */
  stop(): Promise<void>;
}

/** Starts the loop that makes callbacks: claim what is due into free slots, send, sleep until told or due. */
export function startCallbackDispatcher(parts: CallbackContext): CallbackDispatcher {
  const { db, clock, log } = parts;
  const inFlight = new Map<Delivery, Promise<void>>();
  const stopping = new AbortController();
  const breakingOff = new AbortController();
  const nudge = openWakeup(clock, stopping.signal);
  let after = '';

  const stopHearing = db.onAnnounced(topic => {
    if (topic === deliveryTopic) nudge.wake();
  });
  const loop = repeat();
  return {
    async stop() {
      stopping.abort();
      stopHearing();
      await loop;
      const over = new AbortController();
      const patience = clock.sleep(drainTimeoutMs, over.signal).then(() => breakingOff.abort());
      await Promise.all(inFlight.values());
      over.abort();
      await patience;
    },
  };

  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const claimed = await claimIntoFreeSlots();
        if (claimed === 0 && after === '') await nudge.sleep(claimIntervalMs);
      } catch (failure) {
        log.error(
          { err: failure },
          failure instanceof StoreUnavailable ? 'the database is away' : 'callbacks have trouble',
        );
        await clock.sleep(storeRetryMs, stopping.signal);
      }
    }
  }

  /** Goes through the lines page by page, so that a long list of them is a matter of several rounds. */
  async function claimIntoFreeSlots(): Promise<number> {
    const page = await findDueQueues(db, { after, limit: queuesPerPage, now: clock.now() });
    const granted = allocateSlots(page.due, [...inFlight.keys()].map(queueKeyOf), concurrencyLimits);
    const claimed = granted.size > 0 ? await claimDeliveries(db, granted, clock.now()) : [];
    for (const delivery of claimed) send(delivery);
    after = page.next;
    return claimed.length;
  }

  function send(delivery: Delivery): void {
    const sent = tryOnce(delivery).finally(() => {
      inFlight.delete(delivery);
      nudge.wake();
    });
    inFlight.set(delivery, sent);
  }

  /** Never rejects: a try whose outcome could not be written is made again, under the same id. */
  async function tryOnce(delivery: Delivery): Promise<void> {
    const about = { delivery: delivery.id, job: delivery.jobId, try: delivery.tries };
    try {
      const step = { job: delivery.jobId, name: 'callback' } as const;
      const send = () => sendCallback(parts, delivery, breakingOff.signal);
      const ended = await withSpan(parts, step, send, ended => spanResultOf(delivery, ended));
      const { outcome, code } = ended;
      const endedAt = clock.now();
      const write = () => settleDelivery(db, ended, endedAt);
      if (!(await retryWrite(parts, 'the outcome of a callback', stopping.signal, write))) {
        log.warn(about, 'a callback answered after another try took its place; that changes nothing');
        return;
      }
      parts.onAttempt(outcome.kind);
      log.info({ ...about, outcome: outcome.kind, code }, 'callback tried');
    } catch (failure) {
      log.error({ ...about, err: failure }, 'the try of a callback has no outcome; it is made again');
    }
  }
}

function spanResultOf({ status, tries }: Delivery, { outcome, code }: DeliveryAttemptResult): SpanResult {
  const attributes = {
    'atelier.event': status,
    'atelier.try': tries,
    'atelier.came': outcome.kind,
    ...(code !== null && { 'http.response.status_code': code }),
  };
  return outcome.kind === 'delivered' ? { attributes } : { attributes, failure: outcome.kind };
}

const queueKeyOf = ({ userId, url }: Delivery): string => queueKey(userId, url);
