import type { FastifyInstance } from 'fastify';
import type { Clock } from '../domain/clock.ts';

/** How a process takes its leave from whoever stands in front of it. */
export interface Drain {
  /** Null while it stays, else why nothing more is to be sent here. */
  whyNotReady(): string | null;
  /** Closes the connections of an app with the answers that are sent from the begin on. */
  attach(app: FastifyInstance): void;
  /** Answers on for a while, unready: a balancer turns away before a connection would be refused or cut. */
  begin(): Promise<void>;
}

export function openDrain(clock: Clock, drainMs: number): Drain {
  let isLeaving = false;
  return {
    whyNotReady: () => (isLeaving ? 'the process stops' : null),
    attach(app) {
      app.addHook('onSend', async (request, reply) => {
        // Whoever is still sending keeps the connection: its end would be a reset, which may overtake the answer.
        if (isLeaving && request.raw.complete) reply.header('connection', 'close');
      });
    },
    async begin() {
      isLeaving = true;
      await clock.sleep(drainMs);
    },
  };
}
