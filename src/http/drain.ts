/** Shutdown behind a load balancer: not ready first, closed later. */

import type { FastifyInstance } from 'fastify';
import type { Clock } from '../domain/clock.ts';

/** The readiness of a process while it shuts down behind a load balancer. */
export interface Drain {
  /** Null while it runs, else the reason why it takes no new requests. */
  whyNotReady(): string | null;
  /** From `begin` on, each answer of the app closes its connection. */
  attach(app: FastifyInstance): void;
  /** Keeps answering for a while as not ready, so that a load balancer stops sending before connections are closed. */
  begin(): Promise<void>;
}

/** `drainMs`: how long the process keeps answering after `begin`. */
export function openDrain(clock: Clock, drainMs: number): Drain {
  let isLeaving = false;
  return {
    whyNotReady: () => (isLeaving ? 'shutting down' : null),
    attach(app) {
      app.addHook('onSend', (request, reply, _body, done) => {
        // A client that is still sending keeps its connection: closing it would be a reset, which may overtake the answer.
        if (isLeaving && request.raw.complete) reply.header('connection', 'close');
        done();
      });
    },
    async begin() {
      isLeaving = true;
      await clock.sleep(drainMs);
    },
  };
}
