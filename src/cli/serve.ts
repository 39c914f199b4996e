import { readConfig } from '../config.ts';
import { seconds, systemClock } from '../domain/clock.ts';
import { openGateway } from '../main.ts';
import { anyKeyExists, createKey } from '../store/keys.ts';
import { banner } from './banner.ts';
import { openLog } from './open-log.ts';

/** Operations: SIGTERM ends the process within 25 s. */
const longestStopMs = 24 * seconds;

export async function serve({ role }: { readonly role?: string }): Promise<void> {
  const config = readConfig(role === undefined ? process.env : { ...process.env, ATELIER_ROLE: role });
  const log = await openLog(config);
  const gateway = await openGateway(config, log);
  const firstKey = config.role === 'worker' || (await anyKeyExists(gateway.db)) ? null : await makeFirstKey();
  process.stdout.write(banner({ url: gateway.url, role: config.role, firstKey }));
  log.info({ url: gateway.url, role: config.role }, 'serving');

  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), longestStopMs).unref();
    gateway.close().then(
      () => process.exit(0),
      failure => {
        log.error({ err: failure }, 'the stop was not clean');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));

  async function makeFirstKey(): Promise<string> {
    const key = { userName: 'first', name: 'made at the first start', models: null, expiresAt: null };
    return (await createKey(gateway.db, key, systemClock.now())).secret;
  }
}
