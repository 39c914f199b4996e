import { seconds } from '../domain/clock.ts';
import { type Delivery, lineOf } from '../domain/delivery.ts';
import { type Told, traced } from '../domain/tracing.ts';
import { deliveryTopic, StoreUnavailable } from '../store/connection.ts';
import { claimDeliveries, type EndedTry, endTry, findDueLines } from '../store/deliveries.ts';
import { openNudge } from './nudge.ts';
import { type CallbackParts, sendCallback } from './send-callback.ts';
import { shareSlots } from './share-slots.ts';
import { surely, troubleMs } from './surely.ts';

/** Nobody tells of a try that became due, and a hint may be lost. */
const lookAgainMs = 1 * seconds;
/** How long tries in flight may take once we stop; then they are broken off and given back. */
const lastTriesMs = 4 * seconds;
/** Of one process. */
const shares = { total: 256, perUser: 32, perHost: 4 };
/** Lines looked at in one statement. */
const pageLines = 500;

export interface Deliveries {
  /** Claims nothing more and resolves when nothing is in flight. */
  stop(): Promise<void>;
}

/** Starts the loop that makes callbacks: claim what is due into free slots, send, sleep until told or due. */
export function startDeliveries(parts: CallbackParts): Deliveries {
  const { db, clock, log } = parts;
  const inFlight = new Map<Delivery, Promise<void>>();
  const stopping = new AbortController();
  const breakingOff = new AbortController();
  const nudge = openNudge(clock, stopping.signal);
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
      const patience = clock.sleep(lastTriesMs, over.signal).then(() => breakingOff.abort());
      await Promise.all(inFlight.values());
      over.abort();
      await patience;
    },
  };

  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const claimed = await claimIntoFreeSlots();
        if (claimed === 0 && after === '') await nudge.sleep(lookAgainMs);
      } catch (failure) {
        log.error(
          { err: failure },
          failure instanceof StoreUnavailable ? 'the database is away' : 'callbacks have trouble',
        );
        await clock.sleep(troubleMs, stopping.signal);
      }
    }
  }

  /** Goes through the lines page by page, so that a long list of them is a matter of several rounds. */
  async function claimIntoFreeSlots(): Promise<number> {
    const page = await findDueLines(db, { after, limit: pageLines, now: clock.now() });
    const granted = shareSlots(page.due, [...inFlight.keys()].map(nameOf), shares);
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
      const ended = await traced(parts, step, send, ended => tellingOf(delivery, ended));
      const { outcome, code } = ended;
      const endedAt = clock.now();
      const write = () => endTry(db, ended, endedAt);
      if (!(await surely(parts, 'the outcome of a callback', stopping.signal, write))) {
        log.warn(about, 'a callback answered after another try took its place; that changes nothing');
        return;
      }
      parts.onTried(outcome.kind);
      log.info({ ...about, outcome: outcome.kind, code }, 'callback tried');
    } catch (failure) {
      log.error({ ...about, err: failure }, 'the try of a callback has no outcome; it is made again');
    }
  }
}

function tellingOf({ status, tries }: Delivery, { outcome, code }: EndedTry): Told {
  const facts = {
    'atelier.event': status,
    'atelier.try': tries,
    'atelier.came': outcome.kind,
    ...(code !== null && { 'http.response.status_code': code }),
  };
  return outcome.kind === 'delivered' ? { facts } : { facts, failure: outcome.kind };
}

const nameOf = ({ userId, url }: Delivery): string => lineOf(userId, url);
