/**
 * One process of a fleet: it opens the gateways that tests want of it, each a member of another fleet, and closes
 * them. Starting a process for every test would take longer than the tests. Ends with its stdin.
 */
import { appendFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pino } from 'pino';
import { openGateway } from '../../src/app/gateway.ts';
import { readConfig } from '../../src/config/config.ts';
import { openSharedLead, openTestClock } from '../clock.ts';
import type { MemberOpened, MemberWanted } from './fleet-gateway.ts';

const opened = new Map<number, () => Promise<void>>();

async function open({ env, leadPath, logPath }: MemberWanted): Promise<MemberOpened> {
  const config = readConfig(env);
  const lead = openSharedLead(leadPath);
  const log = pino({ level: config.logLevel }, { write: line => appendFileSync(logPath, line) });
  const gateway = await openGateway(config, log, openTestClock(lead)).catch(failure => {
    lead.close();
    throw failure;
  });
  const [own = ''] = await readdir(join(config.dataDir, 'run'));
  const id = opened.size + 1;
  opened.set(id, async () => {
    await gateway.close();
    lead.close();
  });
  return { id, url: gateway.url, local: join(config.dataDir, 'run', own) };
}

async function close({ id }: Pick<MemberOpened, 'id'>): Promise<object> {
  await opened.get(id)?.();
  opened.set(id, async () => {});
  return {};
}

const server = createServer(async (asked, answer) => {
  try {
    // biome-ignore lint/suspicious/noExplicitAny: what the tests ask is of this file's own making.
    const wanted: any = await json(asked);
    answer.end(JSON.stringify(await (asked.url === '/open' ? open(wanted) : close(wanted))));
  } catch (failure) {
    answer.writeHead(500).end(String(failure));
  }
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().on('end', () => process.exit());
