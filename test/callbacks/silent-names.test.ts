/** Host names whose DNS server never answers delay no other user. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type Caller, endedJob, newCaller } from '../../testkit/clients/callback-jobs.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { startDns, type TestDns } from '../../testkit/net/dns-server.ts';
import { openReceiver } from '../../testkit/net/receiver.ts';

const floods = 150;
const promisedMs = 2_000;

describe('names whose DNS server never answers', () => {
  let dns: TestDns;
  let gateway: TestGateway;
  let slow: Caller;
  let slowToo: Caller;
  let quick: Caller;
  before(async () => {
    dns = await startDns();
    gateway = await startGateway({ isAlone: true, env: { ATELIER_DNS_SERVERS: dns.address } });
    [slow, slowToo, quick] = [await newCaller(gateway), await newCaller(gateway), await newCaller(gateway)];
  });
  after(async () => {
    await gateway.close();
    dns.close();
  });
  const isLookedUp = (word: string) => dns.asked.some(name => name.startsWith(word));

  test('of one user’s callbacks delay no other user’s', async () => {
    const receiver = await openReceiver();
    try {
      for (let job = 0; job < floods; job++)
        await endedJob(gateway, slow, `http://callback-${job}.silent.test/`);
      await until(async () => isLookedUp('callback-'), 'the first silent name to be looked up');
      const named = receiver.url.replace('127.0.0.1', 'localhost');
      for (let job = 0; job < 3; job++) {
        await endedJob(gateway, quick, named);
        const endedAt = performance.now();
        await until(async () => receiver.notices.length === job + 1, 'the callback of the quick receiver');
        const tookMs = performance.now() - endedAt;
        assert.ok(tookMs < promisedMs, `${tookMs} ms`);
      }
    } finally {
      await receiver.close();
    }
  });

  test('of one user’s media delay no other user’s', async () => {
    const requests: number[] = [];
    const server = createServer((_request, response) => {
      requests.push(performance.now());
      response.writeHead(404).end();
    });
    const port = await listen(server);
    const path = '/v1/queue/gamma-v2-image';
    const create = async (caller: Caller, image: string) => {
      const made = await gateway.ask('POST', path, { key: caller.key, body: { prompt: 'A fox.', image } });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      return String(made.body.request_id);
    };
    try {
      for (let job = 0; job < floods; job++) await create(slowToo, `http://media-${job}.silent.test/a.png`);
      await until(async () => isLookedUp('media-'), 'the first silent name to be looked up');
      const id = await create(quick, `http://localhost:${port}/a.png`);
      const startedAt = await until(async () => {
        const { body } = await gateway.ask('GET', `${path}/requests/${id}/status`, { key: quick.key });
        return body.status !== 'IN_QUEUE' && performance.now();
      }, 'a slot for the job');
      const [first] = await until(
        async () => requests.length > 0 && requests,
        'the fetch of the quick medium',
      );
      assert.ok(first! - startedAt < promisedMs, `${first! - startedAt} ms`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  return address.port;
}
