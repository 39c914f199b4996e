/** ATELIER_PUBLIC_URL: the gateway listens on its port, and every address in its answers begins with the setting. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, image } from '../../testkit/clients/queue.ts';
import { startGateway } from '../../testkit/gateway/gateway.ts';

test('with an address of its own choice the gateway listens all the same, and its answers name that address', async () => {
  const gateway = await startGateway({
    role: 'api',
    env: { ATELIER_PUBLIC_URL: 'https://gateway.example/' },
  });
  try {
    assert.equal(gateway.gateway.url, 'https://gateway.example');
    const handle = await create(gateway, await gateway.key(), { model: image });
    const base = `https://gateway.example/model/v1/queue/${image}/requests/${handle.request_id}`;
    assert.deepEqual(handle, {
      request_id: handle.request_id,
      response_url: `${base}/response`,
      status_url: `${base}/status`,
      cancel_url: `${base}/cancel`,
      queue_position: 0,
    });
  } finally {
    await gateway.close();
  }
});
