/** Results at private addresses: not fetched, and the operator is shown which setting allows it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startGateway } from '../../testkit/gateway/gateway.ts';
import { untilEnded } from '../../testkit/upstream/studio.ts';
import { startFake } from '../../testkit/upstreams/fake.ts';
import { relay } from '../../testkit/upstreams/relay.ts';

const adminToken = 'the-admin-token-of-this-very-test';
const model = 'gamma-v3-image';

test('a result at a private address other than that of the account fails the job, and the operator reads the remedy', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-private-'));
  const fake = await startFake(relay, folder, 'right');
  const account = { provider: 'relay', base_url: fake.url, api_key: 'env:KEY', dedupe: 'none' };
  const path = join(folder, 'atelier.yaml');
  await writeFile(
    path,
    JSON.stringify({ accounts: { studio: account }, routes: { [model]: [{ account: 'studio' }] } }),
  );
  const gateway = await startGateway({
    isAlone: true,
    env: {
      ATELIER_CONFIG: path,
      KEY: 'right',
      ATELIER_ADMIN_TOKEN: adminToken,
      ATELIER_ALLOW_PRIVATE_NETWORK: '',
    },
  });
  try {
    const key = await gateway.key();
    const body = { prompt: 'A kite', aspect_ratio: '1:1' };
    const { request_id: id } = (await gateway.ask('POST', `/v1/queue/${model}`, { key, body })).body;
    assert.equal(await untilEnded(gateway, key, { id, model, mark: '' }), 'runtime_error');
    assert.deepEqual(fake.mediaRequests(), []);

    const status = await gateway.ask('GET', `/v1/queue/${model}/requests/${id}/status?logs=1`, { key });
    assert.deepEqual(status.body.error, {
      code: 'runtime_error',
      message: 'Runtime execution failed: the result could not be fetched: The address is not a public one.',
      retryable: false,
    });
    assert.doesNotMatch(JSON.stringify(status.body), /ATELIER_|studio|base_url/);

    const message = `The upstream gave its result at ${fake.mediaHostUrl}. Results are fetched from public addresses, and from that in base_url of the account studio; with ATELIER_ALLOW_PRIVATE_NETWORK=1 from any.`;
    const job = await gateway.ask('GET', `/admin/v1/jobs/${id}`, { key: adminToken });
    assert.deepEqual(
      job.body.attempts.map(({ answer, error }: { answer: string; error: unknown }) => [answer, error]),
      [['accepted', { code: 'result_address_refused', message }]],
    );
    const settled = gateway.logged.filter(({ msg }) => msg === 'job settled');
    assert.deepEqual(
      settled.map(({ remedy }) => remedy),
      [message],
    );
  } finally {
    await gateway.close();
    await fake.close();
    await rm(folder, { recursive: true, force: true });
  }
});
