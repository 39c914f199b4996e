/**
 * The whole program, killed as by `kill -9` at a statement: `serve-with-failpoint.ts before|after <words> [<value>]`.
 * `before` the commit of the first write whose text holds the words, or `after` it; with a value, of the first
 * that is also given that value.
 */
import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { openRenderEngine } from '../../engine/src/engine.ts';
import { openGateway } from '../../src/app/gateway.ts';
import { openStore } from '../../src/app/open-store.ts';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/domain/clock.ts';
import type { Connection, Statements, Value } from '../../src/store/db/connection.ts';

const [side = '', words = '', named] = process.argv.slice(2);

const isAt = (text: string, values: readonly Value[] = []): boolean =>
  text.includes(words) && (named === undefined || values.includes(named));

const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('expected to be dead');
};

/** Calls back for a write at the failpoint, before it is made. */
const watched = (db: Statements, onReached: () => void): Statements => ({
  read: db.read,
  write: (text, values) => {
    if (isAt(text, values)) onReached();
    return db.write(text, values);
  },
});

function withFailpoint(db: Connection): Connection {
  return {
    ...db,
    async write(text, values) {
      const isReached = isAt(text, values);
      if (isReached && side === 'before') die();
      const rows = await db.write(text, values);
      return isReached ? die() : rows;
    },
    async transaction(work) {
      let isReached = false;
      const value = await db.transaction(tx =>
        work(
          watched(tx, () => {
            if (side === 'before') die();
            isReached = true;
          }),
        ),
      );
      return isReached ? die() : value;
    },
  };
}

const gateway = await openGateway(readConfig(process.env), pino({ level: 'silent' }), systemClock, {
  openStore: async (...wanted) => withFailpoint(await openStore(...wanted)),
  // The process that starts this one has checked the libraries; a child for the check costs as much as this program.
  openEngine: options => ({ ...openRenderEngine(options), ready: async () => ({ ok: true }) }),
});
// It never ends by itself, and would write then what the next start is spared.
flushCompileCache();
process.stdout.write(`${gateway.listensAt}\n`);
