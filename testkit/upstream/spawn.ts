/** Starts the scripted upstream as a child process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { programPath } from '../run/programs.ts';
import { readLedger } from './ledger.ts';
import type { Counts } from './player.ts';
import { ledgerPath, type Upstream } from './upstream.ts';

/** An upstream in another process: its ledger survives the death of the gateway and of the test. */
export interface SpawnedUpstream extends Upstream {
  /** As `kill -9` does. */
  kill(): Promise<void>;
}

/** `folder`: where the ledger is written. */
export async function spawnUpstream(folder: string): Promise<SpawnedUpstream> {
  const child = spawn(process.execPath, [programPath('testkit/upstream/program.ts'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout);
  const [url] = await Promise.race([
    once(lines, 'line'),
    closed.then(() => Promise.reject(new Error('expected the upstream to print its address, it exited'))),
  ]);
  const control = async (init: RequestInit): Promise<Counts> => {
    const answer = await fetch(`${url}/control`, init);
    if (answer.status !== 200)
      throw new Error(`expected the script to be accepted, got ${await answer.text()}`);
    return (await answer.json()).counts;
  };
  return {
    url,
    play: async wanted => void (await control({ method: 'POST', body: JSON.stringify(wanted) })),
    counts: () => control({ method: 'GET' }),
    ledger: () => readLedger(ledgerPath(folder)),
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    async close() {
      child.stdin.end();
      await closed;
    },
  };
}
