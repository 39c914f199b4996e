/** Many logins at once: the queue, refusals and guesses of passwords. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { openPasswords } from '../../src/admission/passwords.ts';
import { minutes } from '../../src/domain/clock.ts';
import type { PasswordCost } from '../../src/domain/password-hash.ts';
import { listAudit } from '../../src/store/people/audit.ts';
import { openStandingClock } from '../../testkit/clock.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until, untilAdvanced } from '../../testkit/gateway/gateway.ts';

const token = 'the-admin-token-of-this-very-test';
const password = 'a long password';
const env = { ATELIER_ADMIN_TOKEN: token };
/** So much slower than today's least that a few of them outlast many requests, and in little memory. */
const slow = { N: 16_384, r: 8, p: 12 };
const quick = { ...slow, p: 2 };

const wrongLogin = { code: 'UNAUTHORIZED', message: 'Wrong name or password' };
const tooMany = {
  code: 'RATE_LIMIT_EXCEEDED',
  message: 'Too many logins were tried, please try again later',
};

interface Reply {
  readonly status: number;
  readonly cookies: readonly string[];
  readonly retryAfter: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
  readonly body: any;
}

interface Sent {
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A request from an address of this machine: all of 127.0.0.0/8 is. */
function send(
  { url }: Pick<TestGateway, 'url'>,
  [method, path]: readonly [string, string],
  body: unknown,
  { from = '127.0.0.1', headers = {}, signal }: Sent = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, url),
      {
        method,
        agent: false,
        localAddress: from,
        ...(signal && { signal }),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      },
      answer => {
        const { statusCode = 0, headers } = answer;
        json(answer).then(read => {
          const [cookies, retryAfter] = [headers['set-cookie'] ?? [], headers['retry-after']];
          resolve({ status: statusCode, cookies, retryAfter, body: read });
        }, reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const logIn = (gateway: TestGateway, name: string, secret: string, sent: Sent = {}) =>
  send(gateway, ['POST', '/admin/v1/session'], { name, password: secret }, sent);

/** Each of another range. */
const addressOf = (index: number): string => `127.${1 + Math.floor(index / 250)}.${index % 250}.7`;

describe('many logins at once', () => {
  let gateway: TestGateway;
  let derived = 0;
  const startWith = (cost: PasswordCost) =>
    startGateway({
      isAlone: true,
      role: 'api',
      env,
      openPasswords: () => openPasswords({ cost, onDerive: () => derived++ }),
    });
  before(async () => {
    gateway = await startWith(slow);
  });
  after(() => gateway.close());

  test('beyond two at work and twenty that wait are refused, and those who go leave their places', async () => {
    const leaving = new AbortController();
    const answers = Array.from({ length: 23 }, (_, index) =>
      logIn(gateway, `unknown-${index}`, password, { from: addressOf(index), signal: leaving.signal }),
    );
    const { status, body, retryAfter } = await Promise.race(answers);
    const { request_id: _, ...rest } = body;
    assert.deepEqual(
      [status, rest, retryAfter],
      [
        429,
        {
          error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many logins at once, please try again later' },
        },
        '5',
      ],
    );
    leaving.abort();
    const settled = await Promise.allSettled(answers);
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
    // No derivation of a client that left is started: the next one runs after the two that were running.
    const next = await logIn(gateway, 'unknown', password, { from: addressOf(300) });
    assert.deepEqual([next.status, next.body.error], [401, wrongLogin]);
    assert.equal(derived, 3);
  });

  test('leave places for a browser that logged in before', async () => {
    const gateway = await startWith(quick);
    try {
      const body = { name: 'ann', role: 'viewer', password };
      assert.equal((await gateway.ask('POST', '/admin/v1/people', { key: token, body })).status, 200);
      const known = await logIn(gateway, 'ann', password);
      const cookie = known.cookies.find(each => each.startsWith('atelier_device='))?.split(';')[0] ?? '';
      let refused = 0;
      const strangers = Array.from({ length: 60 }, async (_, index) => {
        const { status } = await logIn(gateway, `unknown-${index}`, password, { from: addressOf(index) });
        if (status === 429) refused++;
      });
      await until(async () => refused > 0, 'a stranger to be refused');
      const back = await logIn(gateway, 'ann', password, { headers: { cookie } });
      assert.equal(back.status, 200);
      await Promise.all(strangers);
    } finally {
      await gateway.close();
    }
  });

  test('do not keep an upload waiting', async () => {
    derived = 0;
    const gateway = await startWith(quick);
    try {
      const key = await gateway.key();
      let unanswered = 450;
      const answers = Array.from({ length: 450 }, async (_, index) => {
        const answer = await logIn(gateway, `unknown-${index}`, password, { from: addressOf(index) });
        unanswered--;
        return answer;
      });
      await until(async () => derived > 4, 'the first logins to be verified');
      const data = Buffer.from('8 bytes!').toString('base64');
      const body = { data, filename: 'a.txt', mime_type: 'text/plain' };
      const upload = await gateway.ask('POST', '/v1/files', { key, body });
      assert.deepEqual([upload.status, upload.body.bytes], [200, 8]);
      assert.ok(unanswered > 0, 'the upload was answered before the last login');
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)].sort(), [401, 429]);
      assert.ok(statuses.filter(status => status === 429).length > 300, 'most were refused at once');
    } finally {
      await gateway.close();
    }
  });
});

for (const dialect of dialects) {
  describe(`guesses (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, isAlone: true, role: 'api', env, clock: openStandingClock() });
    });
    after(() => gateway.close());

    const addPerson = async (name: string) => {
      const body = { name, role: 'viewer', password };
      assert.equal((await gateway.ask('POST', '/admin/v1/people', { key: token, body })).status, 200);
    };

    test('at one account from many addresses are slowed down, and a browser that knows it gets in', async () => {
      await addPerson('ann');
      const known = await logIn(gateway, 'ann', password);
      const device = known.cookies.find(cookie => cookie.startsWith('atelier_device='))?.split(';')[0] ?? '';
      const statuses: number[] = [];
      for (let index = 0; index < 40; index++) {
        const answer = await logIn(gateway, 'ann', 'a wrong password', { from: addressOf(index) });
        statuses.push(answer.status);
        if (answer.status !== 429) continue;
        assert.deepEqual(answer.body.error, tooMany);
        assert.ok(Number(answer.retryAfter) > 0);
      }
      assert.deepEqual(statuses.slice(0, 25), Array(25).fill(401));
      assert.ok(statuses.slice(25).includes(429));
      const stranger = await logIn(gateway, 'ann', password, { from: addressOf(100) });
      assert.deepEqual([stranger.status, stranger.body.error], [429, tooMany]);
      const back = await logIn(gateway, 'ann', password, { headers: { cookie: device } });
      assert.equal(back.status, 200);
    });

    test('by a browser that knows an account are slowed down by a rate of its own', async () => {
      await addPerson('bob');
      const { cookies } = await logIn(gateway, 'bob', password, { from: '127.9.1.1' });
      const cookie = cookies.find(each => each.startsWith('atelier_device='))?.split(';')[0] ?? '';
      const guess = (headers: Readonly<Record<string, string>>, name = 'bob') =>
        logIn(gateway, name, 'a wrong password', { from: '127.9.1.1', headers });
      for (let count = 0; count < 10; count++) assert.equal((await guess({ cookie })).status, 401);
      assert.deepEqual((await guess({ cookie })).body.error, tooMany);
      // It is known to this account alone, and what is changed is known to none.
      assert.equal((await guess({ cookie }, 'somebody')).status, 401);
      assert.equal((await guess({ cookie: `${cookie}x` })).status, 401);
      assert.equal((await guess({ cookie: `${cookie}.x` })).status, 401);
    });

    test('from one range of addresses are slowed down, whatever the names', async () => {
      const statuses: number[] = [];
      for (let index = 0; index < 40; index++) {
        const answer = await logIn(gateway, `name-${index}`, password, { from: `127.8.8.${index + 1}` });
        statuses.push(answer.status);
      }
      assert.deepEqual(statuses.slice(0, 30), Array(30).fill(401));
      assert.ok(statuses.slice(30).includes(429));
      const other = await logIn(gateway, 'name', password, { from: '127.8.9.1' });
      assert.equal(other.status, 401);
    });

    test('at the admin token are slowed down and written down, and the right one is taken', async () => {
      const ask = (bearer: string) =>
        send(gateway, ['GET', '/admin/v1/overview'], undefined, {
          from: '127.7.7.7',
          headers: { authorization: `Bearer ${bearer}` },
        });
      const statuses: number[] = [];
      for (let index = 0; index < 40; index++) {
        const { status, body } = await ask(`${token}${index}`);
        statuses.push(status);
        if (status === 429) assert.deepEqual(body.error, tooMany);
      }
      assert.deepEqual(statuses.slice(0, 30), Array(30).fill(401));
      assert.ok(statuses.slice(30).includes(429));
      assert.equal((await ask(token)).status, 200);
      const entries = async () =>
        (await listAudit(gateway.gateway.db, 200)).filter(
          ({ action, details }) => action === 'session.refused' && details.address === '127.7.7.7',
        );
      const entriesNow = await entries();
      assert.deepEqual(
        entriesNow.map(({ actor, subject, details }) => [actor, subject, details]),
        Array(3).fill(['unknown', 'admin', { address: '127.7.7.7', why: 'wrong' }]),
      );
      const summary = await untilAdvanced(
        gateway.clock,
        1 * minutes,
        async () =>
          (await listAudit(gateway.gateway.db, 200)).find(
            ({ action, details }) => action === 'session.refused' && details.address === undefined,
          ),
        'the number of omitted entries to be written',
      );
      assert.deepEqual([summary.actor, summary.subject], ['unknown', 'unknown']);
      assert.ok(Number(summary.details.left_out) >= 37);
    });
  });
}

test('two processes on PostgreSQL: what ends at one is refused at the other, and rates are those of both', async () => {
  const clock = openStandingClock();
  const one = await startGateway({ dialect: 'postgres', isAlone: true, role: 'api', env, clock });
  const other = await startGateway({ isAlone: true, role: 'api', env, after: one });
  try {
    const begun = await send(one, ['POST', '/admin/v1/session'], { token });
    const headers = {
      cookie: begun.cookies[0]?.split(';')[0] ?? '',
      'x-csrf-token': String(begun.body.csrf_token),
    };
    const look = () => send(other, ['GET', '/admin/v1/session'], undefined, { headers });
    assert.equal((await look()).status, 200);
    assert.equal((await send(one, ['DELETE', '/admin/v1/session'], undefined, { headers })).status, 200);
    const refused = await look();
    assert.deepEqual(
      [refused.status, refused.body.error],
      [401, { code: 'UNAUTHORIZED', message: 'The session has ended; log in again' }],
    );
    for (let index = 0; index < 25; index++) {
      const guessed = await logIn(index % 2 === 0 ? one : other, 'unknown', password, {
        from: addressOf(index),
      });
      assert.equal(guessed.status, 401);
    }
    for (const gateway of [one, other])
      assert.deepEqual((await logIn(gateway, 'unknown', password)).body.error, tooMany);
  } finally {
    await other.stop();
    await one.close();
  }
});
