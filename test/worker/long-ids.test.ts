/** 64-bit ids reach a provider with all digits. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toJson } from '../../src/domain/json.ts';
import type { Provider, ProviderTask } from '../../src/domain/provider.ts';
import { create, image, pathOf } from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, until } from '../../testkit/gateway/gateway.ts';
import { startOwnWorker } from '../../testkit/gateway/own-worker.ts';

/** Takes every job, makes nothing of it, and remembers what it was given. */
function openListener() {
  const taken: ProviderTask[] = [];
  const provider: Provider = {
    name: 'listener',
    traits: () => ({
      dedupe: 'none',
      dedupeWindowMs: 0,
      submitTimeoutMs: 0,
      billable: true,
      minPollMs: 1000,
    }),
    ready: async () => ({ ok: true }),
    async submit(task) {
      taken.push(task);
      return { kind: 'refused', error: { code: 'invalid_input', message: 'heard', retry: false } };
    },
    poll: async () => ({ kind: 'missing' }),
    cancel: async () => ({ kind: 'unsupported' }),
    release: async () => {},
  };
  return { provider, taken };
}

for (const dialect of dialects) {
  describe(dialect, () => {
    test('64-bit ids reach a provider with all their digits', async () => {
      const ids = ['9007199254740993', '9223372036854775807', '18014398509481985', '7'];
      const gateway = await startGateway({ dialect, role: 'api' });
      const { provider, taken } = openListener();
      try {
        const key = await gateway.key();
        const elements = ids.map(id => `{"element_id":${id}}`).join(',');
        const body = `{"prompt":"A boat","element_list":[${elements}]}`;
        const { request_id: id } = await create(gateway, key, { model: image, body });
        const { clock, folder } = gateway;
        const stop = await startOwnWorker({ db: gateway.gateway.db, clock, folder, provider });
        try {
          await until(async () => taken.length > 0, 'the job at the provider');
          const { body: result } = await until(async () => {
            const answer = await gateway.ask('GET', pathOf(id, '/response', image), { key });
            return answer.status === 200 && answer;
          }, 'the end of the job');
          assert.deepEqual(result.error, {
            code: 'invalid_input',
            message: 'Runtime execution failed: heard',
            retryable: false,
          });
        } finally {
          await stop();
        }
        const inputs = taken.map(({ job }) => JSON.parse(toJson(job.input), keepDigits));
        assert.deepEqual(
          inputs.map(input => input.element_list),
          [ids.map(each => ({ element_id: each }))],
        );
      } finally {
        await gateway.close();
      }
    });
  });
}

/** Numbers as they are written. */
function keepDigits(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return key === 'element_id' ? context?.source : value;
}
