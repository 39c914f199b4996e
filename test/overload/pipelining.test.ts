/** Clients that pipeline requests without reading the answers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { refusedFor } from '../../testkit/gateway/limited.ts';
import { type Served, serve } from '../../testkit/gateway/program.ts';

const request = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

describe('requests that are sent without reading the answers', () => {
  let folder: string;
  let served: Served;
  const sockets: Socket[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-pipelining-'));
    served = await serve({ env: { ATELIER_DATA_DIR: folder, ATELIER_ROLE: 'api' } });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await served.end('SIGTERM');
    await rm(folder, { recursive: true });
  });

  async function open(): Promise<Socket> {
    const { hostname, port } = new URL(served.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  async function figureOf(name: string): Promise<number> {
    const { body } = await ask(served.url, 'GET', '/metrics');
    const line = String(body)
      .split('\n')
      .find(text => text.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  }
  const memory = () => figureOf('process_resident_memory_bytes');
  const computedSeconds = () => figureOf('process_cpu_seconds_total');

  test('51,000 of them on 30 connections take no memory and no time from others', async () => {
    assert.equal((await ask(served.url, 'GET', '/openapi.json')).status, 200);
    const base = await memory();
    const flood = request('/openapi.json').repeat(1_700);
    const connections = await Promise.all(Array.from({ length: 30 }, open));
    for (const socket of connections) socket.pause().write(flood);

    await othersGoOn(
      base,
      async () => (await figureOf(refusedFor('unanswered_full'))) === connections.length,
    );
    for (const socket of connections) socket.destroy();
  });

  test('as many as a connection may have are parsed as requests, and only the first of them is answered', async () => {
    const base = await memory();
    const connections = await Promise.all(Array.from({ length: 30 }, open));
    for (const socket of connections) socket.pause().write(request('/openapi.json').repeat(64));
    let looks = 0;
    await othersGoOn(base, async () => ++looks > 10);
    for (const socket of connections) socket.destroy();
  });

  test('64 are answered in their order, and one more ends the connection', async () => {
    const paths = Array.from({ length: 64 }, (_, index) => `/in/turn/${index}`);
    const reading = await open();
    reading.write(request('/healthz').repeat(64) + request('/healthz', 'Connection: close\r\n'));
    assert.equal(Buffer.concat(await reading.toArray().catch(() => [])).length, 0);

    const patient = await open();
    const last = paths.length - 1;
    patient.write(
      paths.map((path, at) => request(path, at === last ? 'Connection: close\r\n' : '')).join(''),
    );
    const received = Buffer.concat(await patient.toArray()).toString();
    assert.equal(received.match(/HTTP\/1\.1 404 /g)?.length, paths.length);
    await until(async () => served.log().includes(`"path":"${paths[last]}"`), 'the last one to be logged');
    const logged = [...served.log().matchAll(/"path":"(\/in\/turn\/\d+)"/g)].map(([, path]) => path);
    assert.deepEqual(logged, paths);
  });

  test('what stands behind a request that ends the connection is not begun', async () => {
    const socket = await open();
    const [closing, behind] = [
      request('/nothing/first', 'Connection: close\r\n'),
      request('/nothing/behind'),
    ];
    socket.write(closing + behind);
    const received = Buffer.concat(await socket.toArray()).toString();
    assert.equal(received.match(/HTTP\/1\.1 /g)?.length, 1);
    assert.equal((await ask(served.url, 'GET', '/nothing/last')).status, 404);
    await until(async () => served.log().includes('/nothing/last'), 'the last request to be logged');
    assert.match(served.log(), /\/nothing\/first/);
    assert.doesNotMatch(served.log(), /\/nothing\/behind/);
  });

  /**
   * Until it is over, the process answers others at once and takes little more memory than it had. "At once" is told
   * by what it computes meanwhile: the time of an answer also depends on what else the machine does.
   */
  async function othersGoOn(base: number, isOver: () => Promise<boolean>): Promise<void> {
    const { pid } = served;
    await until(async () => {
      const before = await computedSeconds();
      assert.equal((await ask(served.url, 'GET', '/healthz')).status, 200);
      const seconds = (await computedSeconds()) - before;
      assert.ok(seconds < 0.25, `the process computed for ${seconds} s before others were answered`);
      const bytes = await memory();
      assert.ok(bytes < 1.5 * base, `memory went from ${base} to ${bytes} bytes`);
      return isOver();
    }, 'the flood to end');
    assert.equal(served.pid, pid);
    process.kill(pid, 0);
  }
});
