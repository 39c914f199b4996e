/** The admin API behind the console: sessions, jobs, files, keys, callbacks, accounts and the audit. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { dialects } from '../../testkit/databases/databases.ts';
import {
  type Answer,
  type AskOptions,
  startGateway,
  type TestGateway,
} from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';

const token = 'the-admin-token-of-this-very-test';
const model = 'gamma-v3-image';

for (const dialect of dialects) {
  describe(`the admin API of the console (${dialect})`, () => {
    /** Of the role api: what is in line stays there. */
    let gateway: TestGateway;
    let users = 0;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api', env: { ATELIER_ADMIN_TOKEN: token } });
    });
    after(() => gateway.close());

    const ask = (method: string, end: string, options: AskOptions = {}) =>
      gateway.ask(method, `/admin/v1/${end}`, { key: token, ...options });
    const freshUser = () => `user-of-console-${++users}`;
    const create = async (key: string, input: Readonly<Record<string, unknown>> = {}) => {
      const body = { prompt: 'A red balloon', ...input };
      const answer = await gateway.ask('POST', `/v1/queue/${model}`, { key, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return String(answer.body.request_id);
    };
    const idsOf = ({ body }: Answer) => body.data.map((job: { request_id: string }) => job.request_id);

    /** A session, as a browser would keep it. */
    async function logIn(body: Readonly<Record<string, string>>) {
      const answer = await gateway.ask('POST', '/admin/v1/session', { body });
      const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
      const csrf = String(answer.body.csrf_token);
      return {
        answer,
        ask: (method: string, end: string, options: AskOptions = {}, isTold = true) =>
          gateway.ask(method, `/admin/v1/${end}`, {
            ...options,
            headers: { cookie, ...(isTold && { 'x-csrf-token': csrf }) },
          }),
      };
    }

    describe('a session', () => {
      test('begins with the admin token, in a cookie that no script reads', async () => {
        const { answer, ask: own } = await logIn({ token });
        assert.equal(answer.status, 200);
        assert.deepEqual([answer.body.name, answer.body.role], ['admin', 'admin']);
        assert.match(
          answer.headers.getSetCookie()[0] ?? '',
          /^atelier_session=[\w-]+\.[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
        );
        assert.equal((await own('GET', 'session')).body.csrf_token, answer.body.csrf_token);
        assert.equal((await own('GET', 'keys')).status, 200);
      });

      test('is refused for a wrong token or password, in the same way for a name that is not there', async () => {
        const name = freshUser();
        await ask('POST', 'people', { body: { name, role: 'viewer', password: 'a long password' } });
        const wrongs = [
          [{ token: `${token}x` }, 'Invalid admin token'],
          [{ name, password: 'another password' }, 'Wrong name or password'],
          [{ name: freshUser(), password: 'a long password' }, 'Wrong name or password'],
        ] as const;
        for (const [body, message] of wrongs) {
          const { answer } = await logIn(body);
          assert.equal(answer.status, 401);
          assert.deepEqual(answer.body.error, { code: 'UNAUTHORIZED', message });
        }
      });

      test('changes nothing without its CSRF token, nor with a changed cookie', async () => {
        const { ask: own } = await logIn({ token });
        const refused = await own('POST', 'keys', { body: { user: freshUser() } }, false);
        assert.equal(refused.status, 403);
        assert.deepEqual(refused.body, {
          detail: 'X-CSRF-Token is missing or is not the one of this session',
        });
        const forged = await gateway.ask('GET', '/admin/v1/keys', {
          headers: { cookie: 'atelier_session=eyJyb2xlIjoiYWRtaW4ifQ.AAAA' },
        });
        assert.equal(forged.status, 401);
        assert.equal(forged.body.error.message, 'The session has ended; log in again');
      });

      test('shows a viewer of the audit nothing about people', async () => {
        const [name, watcher, password] = [freshUser(), freshUser(), 'a long password'];
        await ask('POST', 'people', { body: { name, role: 'developer', password } });
        await ask('POST', 'people', { body: { name: watcher, role: 'viewer', password } });
        const { body: key } = await ask('POST', 'keys', { body: { user: freshUser() } });
        const developer = await logIn({ name, password });
        const { body: job } = await developer.ask('POST', `models/${model}/run`, { body: { prompt: 'One' } });
        const viewer = await logIn({ name: watcher, password });
        const { body: shown } = await viewer.ask('GET', 'audit?limit=100');
        const actions: readonly string[] = shown.data.map(({ action }: { action: string }) => action);
        assert.deepEqual(
          actions.filter(action => /^(?:person|session)\./.test(action)),
          [],
        );
        const [run, made] = shown.data;
        assert.deepEqual([run.action, run.subject, run.details], ['job.run', job.request_id, { model }]);
        assert.deepEqual([made.action, made.subject], ['key.create', key.id]);
        const { body: seen } = await viewer.ask('GET', `jobs/${job.request_id}`);
        assert.deepEqual(seen.audit[0].details, { model });
        const { body: all } = await ask('GET', 'audit?limit=4');
        assert.deepEqual(
          all.data.map(({ action }: { action: string }) => action),
          ['session.begin', 'job.run', 'session.begin', 'key.create'],
        );
        assert.deepEqual(all.data[1].details, { model, name });
      });

      test('may do what its role may, and ends when the role changes', async () => {
        const name = freshUser();
        const password = 'a long password';
        const { body: person } = await ask('POST', 'people', { body: { name, role: 'viewer', password } });
        const viewer = await logIn({ name, password });
        assert.equal((await viewer.ask('GET', 'jobs')).status, 200);
        const refused = await viewer.ask('POST', `models/${model}/run`, { body: { prompt: 'One' } });
        assert.equal(refused.status, 403);
        assert.deepEqual(refused.body, { detail: 'Not allowed for the role viewer' });
        gateway.clock.advance(1);
        assert.equal(
          (await ask('PUT', `people/${person.id}`, { body: { role: 'developer' } })).body.role,
          'developer',
        );
        assert.equal((await viewer.ask('GET', 'jobs')).status, 401);
        const developer = await logIn({ name, password });
        assert.equal(
          (await developer.ask('POST', `models/${model}/run`, { body: { prompt: 'One' } })).status,
          200,
        );
        assert.equal((await developer.ask('POST', 'keys', { body: { user: freshUser() } })).status, 403);
        assert.equal((await developer.ask('GET', 'people')).status, 403);
        assert.equal((await ask('DELETE', `people/${person.id}`)).status, 200);
        assert.equal((await developer.ask('GET', 'jobs')).status, 401);
      });
    });

    describe('jobs', () => {
      test('are found by any id, by the key, by model and state, a page at a time', async () => {
        const userName = freshUser();
        const key = await gateway.key({ userName, name: `for ${userName}` });
        const taskId = `task of ${userName}`;
        const first = await create(key, { external_task_id: taskId });
        const second = await create(key);
        const third = await create(key);
        await ask('POST', `jobs/${second}/cancel`);
        const found = async (query: string) => idsOf(await ask('GET', `jobs?${query}`));
        assert.deepEqual(await found(`q=${first}`), [first]);
        assert.deepEqual(await found(`q=${encodeURIComponent(taskId)}`), [first]);
        assert.deepEqual(await found(`key=${userName}`), [third, second, first]);
        assert.deepEqual(await found(`q=${key.slice(0, 8)}`), [third, second, first]);
        assert.deepEqual(await found(`key=${userName}&state=cancelled`), [second]);
        assert.deepEqual(await found(`key=${userName}&state=unfinished`), [third, first]);
        assert.deepEqual(await found(`key=${userName}&state=running`), []);
        assert.deepEqual(await found(`key=${userName}&model=eta2.6-t2v`), []);
        assert.deepEqual(await found('q=nothing-is-called-so'), []);
        const page = await ask('GET', `jobs?key=${userName}&limit=2`);
        assert.deepEqual(idsOf(page), [third, second]);
        assert.deepEqual([page.body.has_more, page.body.next_after], [true, second]);
        const rest = await ask('GET', `jobs?key=${userName}&limit=2&after=${second}`);
        assert.deepEqual(idsOf(rest), [first]);
        assert.equal(rest.body.has_more, false);
        const [line] = rest.body.data;
        assert.deepEqual(
          [line.prompt_start, line.user, line.key.name, line.state, line.external_task_id],
          ['A red balloon', userName, `for ${userName}`, 'available', taskId],
        );
      });

      test('are found by words of the prompt, by filters, and exported as CSV', async () => {
        const userName = freshUser();
        const key = await gateway.key({ userName, name: 'explorer' });
        const headers = { 'atelier-tags': `team=${userName}` };
        const made = async (prompt: string, sent = {}) =>
          (await gateway.ask('POST', `/v1/queue/${model}`, { key, body: { prompt }, headers: sent })).body
            .request_id;
        const [harbour, tagged] = [
          await made('A harbour at dawn'),
          await made('=Dawn, "over" hills', headers),
        ];
        await ask('POST', `jobs/${harbour}/cancel`);
        const found = async (query: string) => idsOf(await ask('GET', `jobs?user=${userName}&${query}`));
        assert.deepEqual(await found('q=DAWN'), [tagged, harbour]);
        assert.deepEqual(await found('q=harbo+dawn'), [harbour]);
        assert.deepEqual(await found('q=dawn&error=cancelled'), [harbour]);
        assert.deepEqual(await found(`tag=team%3D${userName}`), [tagged]);
        assert.deepEqual(await found('tag=team'), [tagged]);
        assert.deepEqual(await found('sort=oldest&project=default&kind=image'), [harbour, tagged]);
        assert.deepEqual(await found('kind=speech'), []);
        assert.deepEqual(await found('q=%21%21'), []);
        assert.equal(
          (await ask('GET', 'jobs?min_run=soon')).body.detail,
          'min_run: must be a number of seconds',
        );
        const answer = await fetch(new URL(`/admin/v1/jobs.csv?user=${userName}&sort=oldest`, gateway.url), {
          headers: { authorization: `Bearer ${token}` },
        });
        assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
        assert.equal(
          (await answer.text()).replace(/\d{4}-[-:.T\d]+Z/g, 'TIME'),
          [
            'request_id,state,model,prompt,project,user,key,account,error,created_at,started_at,completed_at,run_seconds,charged,currency,tags,external_task_id',
            `${harbour},cancelled,${model},A harbour at dawn,default,${userName},explorer,,cancelled,TIME,,TIME,,,,,`,
            `${tagged},available,${model},"'=Dawn, ""over"" hills",default,${userName},explorer,,,TIME,,,,,,team=${userName},`,
            '',
          ].join('\r\n'),
        );
      });

      test('one of them shows all that is known of it, and runs again', async () => {
        const userName = freshUser();
        const key = await gateway.key({ userName });
        const id = await create(key, { callback_url: 'https://receiver.test/hooks', prompt: 'A fox' });
        assert.equal((await ask('POST', `jobs/${id}/cancel`)).body.outcome, 'cancelled');
        assert.equal((await ask('POST', `jobs/${id}/cancel`)).body.outcome, 'already_final');
        const again = (await ask('POST', `jobs/${id}/again`)).body.request_id;
        const { body } = await ask('GET', `jobs/${id}`);
        assert.deepEqual(
          [body.state, body.error.code, body.result.error.code],
          ['cancelled', 'cancelled', 'cancelled'],
        );
        assert.deepEqual(
          body.audit.map(({ action, actor }: { action: string; actor: string }) => [action, actor]),
          [
            ['job.cancel', 'operator'],
            ['job.run_again', 'operator'],
          ],
        );
        assert.equal(body.deliveries.length, 1);
        assert.equal(body.input.prompt, 'A fox');
        const made = (await ask('GET', `jobs/${again}`)).body;
        assert.deepEqual([made.state, made.user, made.input], ['available', userName, body.input]);
        assert.equal(
          (await gateway.ask('GET', `/v1/queue/${model}/requests/${again}/status`, { key })).status,
          200,
        );
      });

      test('an integer of an input keeps its digits', async () => {
        const key = await gateway.key();
        const body =
          '{"prompt":"<<<element_1>>> walks","element_list":[{"element_id":9007199254740993}],"aspect_ratio":"1:1"}';
        const { body: handle } = await gateway.ask('POST', '/v1/queue/gamma-v3-omni-video', { key, body });
        const answer = await fetch(new URL(`/admin/v1/jobs/${handle.request_id}`, gateway.url), {
          headers: { authorization: `Bearer ${token}` },
        });
        assert.match(await answer.text(), /"element_id":9007199254740993\}/);
      });

      test('many are cancelled at once, those alone that fit', async () => {
        const [one, other] = [freshUser(), freshUser()];
        const [keyOfOne, keyOfOther] = [
          await gateway.key({ userName: one }),
          await gateway.key({ userName: other }),
        ];
        for (let count = 0; count < 3; count++) await create(keyOfOne);
        await create(keyOfOther);
        const { body } = await ask('POST', 'jobs/cancel', { body: { key: one, model } });
        assert.deepEqual(body, { object: 'cancellation', cancelled: 3, requested: 0, left: false });
        assert.deepEqual(idsOf(await ask('GET', `jobs?key=${one}&state=unfinished`)), []);
        assert.equal(idsOf(await ask('GET', `jobs?key=${other}&state=unfinished`)).length, 1);
      });

      test('an unknown one, and a wrong query, are refused with a sentence', async () => {
        const unknown = await ask('GET', 'jobs/019e0000-0000-7000-8000-000000000001');
        assert.deepEqual([unknown.status, unknown.body], [404, { detail: 'Request not found' }]);
        const wrong = await ask('GET', 'jobs?state=odd');
        assert.equal(wrong.status, 422);
        assert.match(wrong.body.detail, /^state: must be one of available, running,/);
        assert.equal((await ask('GET', 'jobs?odd=1')).body.detail, 'odd: unknown field');
      });
    });

    describe('keys', () => {
      test('are made, changed in all but the secret, and revoked', async () => {
        const user = freshUser();
        const { body: made } = await ask('POST', 'keys', { body: { user, name: 'first', models: [model] } });
        assert.match(made.secret, /^atl_\w{36}$/);
        await create(made.secret);
        const { body: changed } = await ask('PUT', `keys/${made.id}`, {
          body: { name: 'second', models: ['eta2.6-t2v'], jobs_per_day: 2 },
        });
        assert.deepEqual(
          [changed.name, changed.models, changed.jobs_per_day, changed.hint, 'secret' in changed],
          ['second', ['eta2.6-t2v'], 2, made.hint, false],
        );
        const { body: list } = await ask('GET', 'keys');
        assert.equal(JSON.stringify(list).includes(made.secret), false);
        assert.equal((await ask('POST', `keys/${made.id}/revoke`)).body.revoked, true);
        assert.equal((await ask('PUT', 'keys/key_0000000000000000', { body: {} })).status, 404);
      });

      test('with limits make so many jobs and no more', async () => {
        const { body: daily } = await ask('POST', 'keys', { body: { user: freshUser(), jobs_per_day: 2 } });
        await create(daily.secret);
        await create(daily.secret);
        const full = await gateway.ask('POST', `/v1/queue/${model}`, {
          key: daily.secret,
          body: { prompt: 'Three' },
        });
        assert.equal(full.status, 429);
        assert.match(full.body.error.message, /^This key may make 2 jobs a day \(UTC\)/);
        assert.ok(Number(full.headers.get('retry-after')) > 0);
        const { body: few } = await ask('POST', 'keys', { body: { user: freshUser(), jobs_at_once: 1 } });
        const running = await create(few.secret);
        const refused = await gateway.ask('POST', `/v1/queue/${model}`, {
          key: few.secret,
          body: { prompt: 'Two' },
        });
        assert.equal(refused.status, 429);
        await ask('POST', `jobs/${running}/cancel`);
        await create(few.secret);
      });

      test('a wrong wish names its field', async () => {
        const wrong = async (body: unknown) => (await ask('POST', 'keys', { body })).body.detail;
        assert.match(await wrong({ user: '' }), /^user: /);
        assert.equal(await wrong({ user: 'u', models: ['odd'] }), 'models: "odd" is not a model id');
        assert.match(
          await wrong({ user: 'u', jobs_per_day: 0 }),
          /^jobs_per_day: must be a whole number from 1/,
        );
      });
    });

    describe('the console', () => {
      test('runs under a key of its own, and the audit names who began it', async () => {
        const { ask: own } = await logIn({ token });
        const { body: verdict } = await own('POST', `models/${model}/validate`, {
          body: { prompt: 'A boat' },
        });
        assert.deepEqual([verdict.valid, verdict.billed_jobs], [true, 1]);
        const { body: job } = await own('POST', `models/${model}/run`, { body: { prompt: 'A boat' } });
        const { body } = await ask('GET', `jobs/${job.request_id}`);
        assert.deepEqual([body.user, body.key.id], ['console', 'key_console']);
        assert.deepEqual(body.audit[0].details, { model, name: 'admin' });
        const wrong = await own('POST', `models/${model}/run`, { body: {} });
        assert.deepEqual([wrong.status, wrong.body.detail], [422, 'prompt: is required']);
        const models = (await ask('GET', 'models')).body.data;
        assert.deepEqual(models.find(({ id }: { id: string }) => id === 'alpha-2-0-mini').takes, [
          'image',
          'video',
          'audio',
        ]);
      });

      test('keeps files, lists those of all users, and deletes', async () => {
        const form = new FormData();
        form.set(
          'file',
          new Blob([Uint8Array.from(await picture('png', 320, 240))], { type: 'image/png' }),
          'pier.png',
        );
        const { body: file } = await ask('POST', 'files', { body: form });
        assert.deepEqual([file.filename, file.dimensions], ['pier.png', { width: 320, height: 240 }]);
        assert.match(file.url, /^v1\/f\/file_/);
        assert.equal((await gateway.ask('GET', `/${file.url}`)).status, 200);
        const { body: list } = await ask('GET', 'files?source=upload&limit=1');
        assert.deepEqual([list.data[0].id, list.data[0].user], [file.id, 'console']);
        assert.deepEqual((await ask('DELETE', `files/${file.id}`)).body.deleted, true);
        assert.equal((await ask('GET', `files/${file.id}`)).status, 404);
      });

      test('shows the queue, the usage, the accounts and what was done', async () => {
        const userName = freshUser();
        const id = await create(await gateway.key({ userName }));
        await ask('POST', `jobs/${id}/cancel`);
        const { body: overview } = await ask('GET', 'overview');
        assert.ok(overview.waiting > 0);
        assert.equal(overview.accounts[0].account, 'local');
        const { body: usage } = await ask('GET', 'usage?by=user');
        const line = usage.jobs.find(({ label }: { label: string }) => label === userName);
        assert.deepEqual([line.completed, line.failed, line.cancelled], [0, 0, 1]);
        assert.equal((await ask('GET', 'providers')).body.data[0].provider, 'local');
        assert.equal((await ask('POST', 'providers/local/test')).body.outcome, 'untried');
        assert.equal((await ask('POST', 'providers/odd/test')).status, 404);
        const { body: audit } = await ask('GET', 'audit?limit=1');
        assert.deepEqual([audit.data[0].action, audit.data[0].subject], ['job.cancel', id]);
      });
    });
  });
}
