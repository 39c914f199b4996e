/** Work that is refused because its queue is full. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { type Gateway, openGateway } from '../../src/app/gateway.ts';
import { openStore } from '../../src/app/open-store.ts';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { openFairQueue, QueueClosed, QueueFull } from '../../src/domain/fair-queue.ts';
import { newApiKeySecret } from '../../src/domain/ids.ts';
import { fileError } from '../../testkit/clients/uploads.ts';
import { ask } from '../../testkit/gateway/gateway.ts';

const unavailable = { detail: 'Service temporarily unavailable' };
const fileUnavailable = fileError(
  'service_unavailable',
  'Service temporarily unavailable',
  null,
  'api_error',
);
const fileTooMuch = fileError(
  'rate_limit_exceeded',
  'Request rate exceeded, please try again later',
  null,
  'api_error',
);

/** A fair queue stands before every look into the store, and what it says is what a request fails with. */
describe('work that found no place in its queue', () => {
  let folder: string;
  let gateway: Gateway;
  let failure: Error;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-queues-'));
    const env = { ATELIER_PORT: '0', ATELIER_DATA_DIR: folder, ATELIER_ROLE: 'api' };
    let isOpen = false;
    gateway = await openGateway(readConfig(env), pino({ level: 'silent' }), systemClock, {
      openStore: async (...wanted) => {
        const db = await openStore(...wanted);
        return { ...db, read: (...statement) => (isOpen ? Promise.reject(failure) : db.read(...statement)) };
      },
    });
    isOpen = true;
  });
  after(async () => {
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  const askWithKey = (path: string) => ask(gateway.listensAt, 'GET', path, { key: newApiKeySecret() });
  const isLater = (headers: Headers): boolean => /^[3-7]$/.test(headers.get('retry-after') ?? '');

  test('429 where its own share is full', async () => {
    failure = new QueueFull('share');
    const { status, headers, body } = await askWithKey('/v1/models');
    assert.equal(status, 429);
    assert.deepEqual(body.error, {
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'Too much is asked for at once, please try again later',
    });
    assert.equal(isLater(headers), true);
    const ofFiles = await askWithKey('/v1/files');
    assert.equal(ofFiles.status, 429);
    assert.deepEqual(ofFiles.body, fileTooMuch);
    assert.equal(isLater(ofFiles.headers), true);
  });

  test('503 where all of it is full', async () => {
    failure = new QueueFull('all');
    const { status, headers, body } = await askWithKey('/v1/models');
    assert.equal(status, 503);
    assert.deepEqual(body, unavailable);
    assert.equal(isLater(headers), true);
    const ofFiles = await askWithKey('/v1/files');
    assert.equal(ofFiles.status, 503);
    assert.deepEqual(ofFiles.body, fileUnavailable);
    assert.equal(isLater(ofFiles.headers), true);
  });

  test('503, and never 500, where the process stops while it waits', async () => {
    const queue = openFairQueue<string>({ running: 1, runningPerShare: 1, waiting: 1, waitingPerShare: 1 });
    void queue.run('key', () => new Promise(() => {}));
    const waiting = queue.run('key', async () => {});
    queue.close();
    failure = await waiting.catch(why => why);
    assert.ok(failure instanceof QueueClosed);
    const { status, headers, body } = await askWithKey('/v1/models');
    assert.equal(status, 503);
    assert.deepEqual(body, unavailable);
    assert.equal(isLater(headers), true);
    const ofFiles = await askWithKey('/v1/files');
    assert.equal(ofFiles.status, 503);
    assert.deepEqual(ofFiles.body, fileUnavailable);
  });
});
