/** Shutdown behind a load balancer: not ready first, closed later. */

import type { FastifyInstance } from 'fastify';
import type { Clock } from '../domain/clock.ts';

const shuttingDown = 'shutting down';

/** The readiness of a process while it shuts down behind a load balancer. */
export interface Drain {
  /**
   * The reason why it takes no new requests, null for none: what `check` finds while it runs. Once it shuts down, at
   * once: a check waits seconds for a slow disk or bucket, and a load balancer goes on sending until it is answered.
   */
  whyNotReady(check: () => Promise<string | null>): Promise<string | null>;
  /** From `begin` on, each answer of the app closes its connection. */
  attach(app: FastifyInstance): void;
  /** Keeps answering for a while as not ready, so that a load balancer stops sending before connections are closed. */
  begin(): Promise<void>;
}

/** `drainMs`: how long the process keeps answering after `begin`. */
export function openDrain(clock: Clock, drainMs: number): Drain {
  let isLeaving = false;
  /** Of the checks that are still waited for. */
  const answers = new Set<(reason: string) => void>();
  return {
    async whyNotReady(check) {
      if (isLeaving) return shuttingDown;
      const { promise: leaving, resolve } = Promise.withResolvers<string>();
      answers.add(resolve);
      try {
        return await Promise.race([leaving, check()]);
      } finally {
        answers.delete(resolve);
      }
    },
    attach(app) {
      app.addHook('onSend', (request, reply, _body, done) => {
        // A client that is still sending keeps its connection: closing it would be a reset, which may overtake the answer.
        if (isLeaving && request.raw.complete) reply.header('connection', 'close');
        done();
      });
    },
    async begin() {
      isLeaving = true;
      for (const answer of answers) answer(shuttingDown);
      await clock.sleep(drainMs);
    },
  };
}
