/** The limit of open connections. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { until } from '../../testkit/gateway/gateway.ts';
import { figureOf, refusedFor, startLimited } from '../../testkit/gateway/limited.ts';

test('one connection more than may be open is closed at once, and the others are served', async () => {
  const gateway = await startLimited({ connections: 3 });
  const { hostname, port } = new URL(gateway.url);
  const open = () => connect(Number(port), hostname);
  const sockets = [open(), open()];
  try {
    for (const socket of sockets) await once(socket, 'connect');
    // The third is the one that asks here.
    await until(async () => (await gateway.ask('GET', '/healthz')).status === 200, 'the gateway to answer');
    const fourth = open();
    sockets.push(fourth);
    fourth.on('error', () => {});
    fourth.resume();
    await once(fourth, 'close');
    assert.equal(await figureOf(gateway, refusedFor('connections_full')), 1);
  } finally {
    for (const socket of sockets) socket.destroy();
    await gateway.close();
  }
});
