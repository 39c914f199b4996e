/** The schedule of callback attempts, and which answers deliver. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { days, hours, minutes, parseTime, seconds } from '../../src/domain/clock.ts';
import { newCallbackSecret, parseQueueKey, queueKey, webhookHeaders } from '../../src/domain/delivery.ts';
import { deliveryOutcomeOf, retryDelaysMs } from '../../src/domain/delivery-retry.ts';
import { newDeliveryId } from '../../src/domain/ids.ts';

const now = Date.UTC(2026, 4, 21, 7, 33, 38);
const final = (failures: number) => ({ status: 'COMPLETED', failures }) as const;
const answered = (code: number, retryAfter?: string) => ({ code, retryAfter });

describe('the schedule', () => {
  test('of COMPLETED is 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h and 8 h after the first try', () => {
    assert.deepEqual(retryDelaysMs.COMPLETED, [
      5 * seconds,
      30 * seconds,
      2 * minutes,
      10 * minutes,
      30 * minutes,
      1 * hours,
      3 * hours,
      8 * hours,
    ]);
  });

  test('of IN_PROGRESS has two attempts in all', () => {
    assert.deepEqual(deliveryOutcomeOf({ status: 'IN_PROGRESS', failures: 0 }, null, now, 0.5), {
      kind: 'again',
      dueAt: now + 5 * seconds,
    });
    assert.deepEqual(deliveryOutcomeOf({ status: 'IN_PROGRESS', failures: 1 }, null, now, 0.5), {
      kind: 'failed',
    });
  });

  for (const [failures, waitMs] of retryDelaysMs.COMPLETED.entries()) {
    test(`the wait after failure ${failures + 1} is a fifth shorter at least and a fifth longer at most`, () => {
      const dueAt = (random: number) => {
        const outcome = deliveryOutcomeOf(final(failures), answered(500), now, random);
        assert.equal(outcome.kind, 'again');
        return outcome.dueAt - now;
      };
      assert.deepEqual([0, 0.5, 1].map(dueAt), [0.8 * waitMs, waitMs, 1.2 * waitMs]);
    });
  }

  test('ends with the ninth failure', () => {
    assert.deepEqual(deliveryOutcomeOf(final(8), answered(500), now, 0.5), { kind: 'failed' });
  });
});

describe('an answer', () => {
  for (const code of [200, 201, 202, 204, 299]) {
    test(`${code} delivers`, () =>
      assert.deepEqual(deliveryOutcomeOf(final(0), answered(code), now, 0.5), { kind: 'delivered' }));
  }
  for (const code of [199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 408, 409, 429, 500, 503]) {
    test(`${code} is a failure that is tried again`, () =>
      assert.deepEqual(deliveryOutcomeOf(final(0), answered(code), now, 0.5), {
        kind: 'again',
        dueAt: now + 5 * seconds,
      }));
  }
  test('410 stops at once', () => {
    assert.deepEqual(deliveryOutcomeOf(final(0), answered(410, '60'), now, 0.5), { kind: 'failed' });
  });
});

describe('Retry-After', () => {
  const waits: Readonly<Record<string, number>> = {
    '0': 5 * seconds,
    '4': 5 * seconds,
    '90': 90 * seconds,
    ' 90 ': 90 * seconds,
    '86400': 1 * days,
    '86401': 1 * days,
    '9999999999': 1 * days,
    'Thu, 21 May 2026 07:43:38 GMT': 10 * minutes,
    'Thu, 21 May 2026 07:33:00 GMT': 5 * seconds,
    'Sun, 21 May 2028 07:33:38 GMT': 1 * days,
    'Xyz, nonsense GMT': 5 * seconds,
    '-90': 5 * seconds,
    '1e9': 5 * seconds,
    '2028-05-21': 5 * seconds,
    '': 5 * seconds,
  };
  for (const [header, waitMs] of Object.entries(waits)) {
    test(`"${header}" makes the first wait ${waitMs / seconds} s`, () =>
      assert.deepEqual(deliveryOutcomeOf(final(0), answered(503, header), now, 0.5), {
        kind: 'again',
        dueAt: now + waitMs,
      }));
  }
  test('does not shorten the schedule', () => {
    const outcome = deliveryOutcomeOf(final(7), answered(429, '1'), now, 0.5);
    assert.deepEqual(outcome, { kind: 'again', dueAt: now + 8 * hours });
  });
  test('does not prolong the schedule by another try', () => {
    assert.deepEqual(deliveryOutcomeOf(final(8), answered(429, '1'), now, 0.5), { kind: 'failed' });
  });
});

describe('the headers', () => {
  const id = newDeliveryId(now);
  const body = Buffer.from('{"prompt":"Ein Leuchtturm über dem Meer 🌊"}');
  const secrets = [newCallbackSecret(), newCallbackSecret()] as const;

  test('contain the id, the second of the attempt and one signature for each secret', () => {
    const headers = webhookHeaders(id, body, secrets, now + 999);
    const verify = (secret: string) => new Webhook(secret).sign(id, new Date(now), body.toString());
    assert.deepEqual(headers, {
      'webhook-id': id,
      'webhook-timestamp': String(now / 1000),
      'webhook-signature': secrets.map(verify).join(' '),
    });
  });

  test('are signed with a secret of 32 random bytes', () => {
    for (const secret of secrets) {
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
    }
    assert.notEqual(secrets[0], secrets[1]);
  });
});

test('a line is a user and a host with its port', () => {
  const name = queueKey('user_a', 'https://Hooks.Example:8443/path?x=1');
  assert.deepEqual(parseQueueKey(name), { name, userId: 'user_a', host: 'hooks.example:8443' });
});

describe('a moment that a person wrote', () => {
  const moments: Readonly<Record<string, number | null>> = {
    '1779348818': now,
    '2026-05-21T07:33:38Z': now,
    '2026-05-21T07:33:38.000Z': now,
    '2026-05-21 07:33:38': now,
    '2026-05-21T09:33:38+02:00': now,
    '2026-05-21T07:33': now - 38 * seconds,
    '2026-05-21': Date.UTC(2026, 4, 21),
    '2026-13-01': null,
    yesterday: null,
    '21 May 2026': null,
    '-5': null,
    '': null,
  };
  for (const [text, at] of Object.entries(moments)) {
    test(`"${text}" is ${at === null ? 'none' : new Date(at).toISOString()}`, () =>
      assert.equal(parseTime(text), at));
  }
});
