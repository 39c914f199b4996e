/** Ports for servers that start later. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { freePort, freePorts } from '../../testkit/net/free-port.ts';

test('a free port is one that a server may have, outside those that systems give away', async () => {
  const port = await freePort();
  assert.ok(port >= freePorts.from && port < freePorts.below, String(port));
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
});
