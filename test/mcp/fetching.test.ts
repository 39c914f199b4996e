/** The tool upload_file by an address: how many downloads a key may have. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { call, withoutHandshake } from './ways.ts';

describe('upload_file by an address', () => {
  let gateway: TestGateway;
  let site: Server;
  let base: string;
  const waiting: ServerResponse[] = [];
  const clients: Client[] = [];
  const tooMany = 'Too many files are being fetched.\nTry again in 10 seconds.';
  const missing = 'url: The address answered with status 404.';
  before(async () => {
    gateway = await startGateway({ role: 'api', isAlone: true });
    const png = await picture('png', 24, 16);
    site = createServer((request, response) => {
      if (request.url === '/slow.png') waiting.push(response);
      else response.end(png);
    });
    await once(site.listen(0, '127.0.0.1'), 'listening');
    base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  after(async () => {
    for (const client of clients) await client.close();
    site.closeAllConnections();
    site.close();
    await gateway.close();
  });

  async function connect(): Promise<Client> {
    const client = await withoutHandshake.connect(gateway, await gateway.key());
    clients.push(client);
    return client;
  }

  test('a key has two at once and four that wait, and others are served meanwhile', async () => {
    const [greedy, other] = [await connect(), await connect()];
    const slow = Array.from({ length: 7 }, () => call(greedy, 'upload_file', { url: `${base}/slow.png` }));
    const refused = await Promise.race(slow);
    assert.equal(refused.text, tooMany);
    await until(async () => waiting.length === 2, 'two to be fetched');
    const kept = await call(other, 'upload_file', { url: `${base}/quick.png` });
    assert.deepEqual([kept.isError, kept.structured.mime_type], [false, 'image/png']);
    assert.equal(waiting.length, 2);
    for (let answered = 0; answered < 6; answered++) {
      const response = await until(async () => waiting.shift(), 'the next to be fetched');
      response.writeHead(404).end();
    }
    const texts = (await Promise.all(slow)).map(({ text }) => text);
    assert.deepEqual(texts.toSorted(), [tooMany, ...Array(6).fill(missing)]);
  });
});
