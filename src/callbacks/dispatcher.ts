// The callback (webhook) dispatcher: claims due deliveries into free slots and sends them, fair to all receivers.
import { seconds } from '../domain/clock.ts';
import { type Delivery, queueKey } from '../domain/delivery.ts';
import { type SpanResult, withSpan } from '../domain/tracing.ts';
import { openWakeup, type Wakeup } from '../domain/wakeup.ts';
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

/** Retries that become due are not announced, and an announcement may be lost. */
const claimIntervalMs = 1 * seconds;
/** How long attempts in flight may take after a stop began; then they are aborted and released. */
const drainTimeoutMs = 4 * seconds;
/** Maximum of callbacks in flight in one process. */
const concurrencyLimits = { total: 256, perUser: 32, perHost: 4 };
/** Queues read in one statement. */
const queuesPerPage = 500;

export interface CallbackDispatcher {
  /** Claims nothing more and resolves when nothing is in flight. */
  stop(): Promise<void>;
}

/** Starts the loop: claim due deliveries into free slots, send each, sleep until woken. */
export function startCallbackDispatcher(context: CallbackContext): CallbackDispatcher {
  const { db, clock } = context;
  const stopping = new AbortController();
  const aborting = new AbortController();
  const dispatch: Dispatch = {
    context,
    inFlight: new Map(),
    wakeup: openWakeup(clock, stopping.signal),
    stopping: stopping.signal,
    aborting: aborting.signal,
    after: '',
  };
  const unsubscribe = db.onAnnounced(topic => {
    if (topic === deliveryTopic) dispatch.wakeup.wake();
  });
  const loop = runLoop(dispatch);
  return {
    async stop() {
      stopping.abort();
      unsubscribe();
      await loop;
      const drained = new AbortController();
      const timeout = clock.sleep(drainTimeoutMs, drained.signal).then(() => aborting.abort());
      await Promise.all(dispatch.inFlight.values());
      drained.abort();
      await timeout;
    },
  };
}

/** The value that all functions of the dispatcher share. */
interface Dispatch {
  readonly context: CallbackContext;
  /** Attempts in flight, each with its end. */
  readonly inFlight: Map<Delivery, Promise<void>>;
  /** Woken when a delivery may be claimed: a new one, a free slot. */
  readonly wakeup: Wakeup;
  /** Aborts when nothing more is claimed. */
  readonly stopping: AbortSignal;
  /** Aborts the attempts in flight. */
  readonly aborting: AbortSignal;
  /** The last queue of the page read before; empty: the next page is the first. */
  after: string;
}

/** Repeats rounds until the stop; after a failure it waits a moment. */
async function runLoop(dispatch: Dispatch): Promise<void> {
  const { context, wakeup, stopping } = dispatch;
  while (!stopping.aborted) {
    try {
      const claimed = await claimIntoFreeSlots(dispatch);
      if (claimed === 0 && dispatch.after === '') await wakeup.sleep(claimIntervalMs);
    } catch (failure) {
      const event =
        failure instanceof StoreUnavailable ? 'database unavailable' : 'callback dispatcher failed, retrying';
      context.log.error({ err: failure }, event);
      await context.clock.sleep(storeRetryMs, stopping);
    }
  }
}

/** One page of queues a round, so that very many queues take several rounds. Returns how many were claimed. */
async function claimIntoFreeSlots(dispatch: Dispatch): Promise<number> {
  const { context, inFlight, after } = dispatch;
  const { db, clock } = context;
  const page = await findDueQueues(db, { after, limit: queuesPerPage, now: clock.now() });
  const granted = allocateSlots(page.due, [...inFlight.keys()].map(queueKeyOf), concurrencyLimits);
  const claimed = granted.size > 0 ? await claimDeliveries(db, granted, clock.now()) : [];
  for (const delivery of claimed) startAttempt(dispatch, delivery);
  dispatch.after = page.next;
  return claimed.length;
}

function startAttempt(dispatch: Dispatch, delivery: Delivery): void {
  const { inFlight, wakeup } = dispatch;
  const attempt = attemptDelivery(dispatch, delivery).finally(() => {
    inFlight.delete(delivery);
    wakeup.wake();
  });
  inFlight.set(delivery, attempt);
}

/**
 * Send → write the outcome → log. Never rejects: an attempt whose outcome could not be written is repeated, with the
 * same `webhook-id`.
 */
async function attemptDelivery({ context, stopping, aborting }: Dispatch, delivery: Delivery): Promise<void> {
  const { db, clock, log } = context;
  const facts = { delivery: delivery.id, job: delivery.jobId, attempt: delivery.attempts };
  try {
    const result = await sendTraced(context, delivery, aborting);
    const { outcome, code } = result;
    const endedAt = clock.now();
    const write = () => settleDelivery(db, result, endedAt);
    if (!(await retryWrite(context, 'callback outcome', stopping, write))) {
      log.warn(facts, 'callback attempt superseded, result discarded');
      return;
    }
    context.onAttempt(outcome.kind);
    log.info({ ...facts, outcome: outcome.kind, code }, 'callback attempt finished');
  } catch (failure) {
    log.error({ ...facts, err: failure }, 'callback attempt failed without outcome, retrying');
  }
}

/** A span of the job; an alert is of none. */
async function sendTraced(
  context: CallbackContext,
  delivery: Delivery,
  aborting: AbortSignal,
): Promise<DeliveryAttemptResult> {
  const send = () => sendCallback(context, delivery, aborting);
  if (delivery.jobId === null) return send();
  const span = { job: delivery.jobId, name: 'callback' } as const;
  return withSpan(context, span, send, result => spanResultOf(delivery, result));
}

/** Counts and outcomes only: never the URL or the answer of a receiver. */
function spanResultOf({ status, attempts }: Delivery, { outcome, code }: DeliveryAttemptResult): SpanResult {
  const attributes = {
    'atelier.event': status,
    'atelier.attempt': attempts,
    'atelier.outcome': outcome.kind,
    ...(code !== null && { 'http.response.status_code': code }),
  };
  return outcome.kind === 'delivered' ? { attributes } : { attributes, failure: outcome.kind };
}

/** Deliveries to one address of one user share a queue. */
const queueKeyOf = ({ userId, url }: Delivery): string => queueKey(userId, url);
