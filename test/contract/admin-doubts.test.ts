/** The admin API of uncertain submissions: the list, and the three ways to resolve one. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JobId } from '../../src/domain/ids.ts';
import { newWorkerId } from '../../src/domain/ids.ts';
import { jobError } from '../../src/domain/job.ts';
import { insertAttempt, recordAnswer } from '../../src/store/attempts/attempts.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { create, image, unknownId } from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { runProgram } from '../../testkit/gateway/program.ts';

const unauthorized = (message: string, requestId: string | null) => ({
  error: { code: 'UNAUTHORIZED', message },
  request_id: requestId,
});

for (const dialect of dialects) {
  describe(dialect, () => {
    let gateway: TestGateway;
    let key: string;
    let token: string;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
      key = await gateway.key({ userName: `ann-${dialect}` });
      token = JSON.parse(await readFile(join(gateway.folder, 'secrets.json'), 'utf8')).adminToken;
    });
    after(() => gateway.close());

    /** A job whose one call was broken off, in doubt. */
    async function doubted(): Promise<JobId> {
      const { db } = gateway.gateway;
      const { request_id: id } = await create(gateway, key, { model: image });
      const worker = newWorkerId();
      await registerWorker(db, worker);
      const now = gateway.clock.now();
      const account = { id: 'studio', slots: 100, rate: null };
      const [job] = await claimJobs(db, { worker, modelId: image, limit: 1, now, account });
      assert.equal(job?.id, id);
      const hold = { jobId: job!.id, holder: worker, claim: job!.claim };
      const intent = {
        number: 1,
        provider: 'relay',
        account: 'studio',
        dedupeKey: `${id}-1`,
        billable: true,
      };
      await insertAttempt(db, hold, intent, now);
      await recordAnswer(db, job!.id, 1, { kind: 'unknown', error: { message: 'broke off' } }, now);
      await settle(db, hold, { kind: 'failed', error: jobError('submission_uncertain', 'unknown') }, now);
      return job!.id;
    }
    const admin = (method: string, path: string, body?: unknown) =>
      gateway.ask(method, `/admin/v1${path}`, { key: token, body });
    const env = () => ({
      ATELIER_DATA_DIR: gateway.folder,
      ...(gateway.database?.url && { ATELIER_DATABASE_URL: gateway.database.url }),
    });

    test('the list says all that is known, and the metric counts it', async () => {
      const id = await doubted();
      const { status, body } = await admin('GET', '/doubts');
      assert.equal(status, 200);
      assert.deepEqual([body.object, body.has_more], ['list', false]);
      const found = body.data.find((doubt: { request_id: string }) => doubt.request_id === id);
      const { sent_at: sentAt, doubted_at: doubtedAt, ...rest } = found;
      assert.deepEqual([typeof sentAt, typeof doubtedAt], ['number', 'number']);
      assert.deepEqual(rest, {
        object: 'doubt',
        request_id: id,
        user: `ann-${dialect}`,
        model: image,
        state: 'failed',
        error: jobError('submission_uncertain', 'unknown'),
        provider: 'relay',
        account: 'studio',
        attempt: 1,
        dedupe_key: `${id}-1`,
        call_count: 1,
        why: 'broke off',
      });
      const metrics = await gateway.ask('GET', '/metrics');
      assert.match(metrics.body, /^atelier_doubts 1$/m);
      assert.equal((await admin('POST', `/doubts/${id}/give-up`)).status, 200);
    });

    test('adopt, give up and send again answer once; then the doubt is no more', async () => {
      const ways = [
        { way: 'give-up', body: undefined, settlement: 'given_up', hasNew: false },
        { way: 'adopt', body: { upstream_id: 'up-1' }, settlement: 'adopted', hasNew: true },
        { way: 'send-again', body: { accept_second_charge: true }, settlement: 'sent_again', hasNew: true },
      ];
      for (const { way, body, settlement, hasNew } of ways) {
        const id = await doubted();
        const first = await admin('POST', `/doubts/${id}/${way}`, body);
        assert.equal(first.status, 200, JSON.stringify(first.body));
        const { new_request_id: made, ...rest } = first.body;
        assert.deepEqual(rest, { object: 'doubt', request_id: id, settlement });
        assert.equal(made !== null, hasNew);
        const again = await admin('POST', `/doubts/${id}/${way}`, body);
        assert.deepEqual([again.status, again.body], [404, { detail: 'Doubt not found' }]);
        // A new job takes its turn like any other; it is out of the way of the next one here.
        await gateway.gateway.db.write(`DELETE FROM jobs WHERE state = 'available'`);
      }
    });

    test('a second charge must be accepted out loud, an upstream id be given', async () => {
      const id = await doubted();
      const refused = [
        ['send-again', {}, 'accept_second_charge: must be true: the first call may be charged'],
        [
          'send-again',
          { accept_second_charge: false },
          'accept_second_charge: must be true: the first call may be charged',
        ],
        ['adopt', {}, 'upstream_id: must be 1 to 200 characters'],
        ['adopt', { upstream_id: 'a', force: true }, 'force: unknown field'],
      ] as const;
      for (const [way, body, detail] of refused) {
        const answer = await admin('POST', `/doubts/${id}/${way}`, body);
        assert.deepEqual([answer.status, answer.body], [422, { detail }]);
      }
      assert.equal((await admin('POST', `/doubts/${id}/give-up`)).status, 200);
    });

    test('a job without a doubt is not found, and no client key opens the door', async () => {
      const unknown = await admin('POST', `/doubts/${unknownId}/give-up`);
      assert.deepEqual([unknown.status, unknown.body], [404, { detail: 'Doubt not found' }]);
      const asClient = await gateway.ask('GET', '/admin/v1/doubts', { key });
      const requestId = asClient.headers.get('x-request-id');
      assert.deepEqual([asClient.status, asClient.body.error.code], [401, 'UNAUTHORIZED']);
      assert.deepEqual(asClient.body, unauthorized(asClient.body.error.message, requestId));
    });

    test('the command line lists and settles the same doubts', async () => {
      const id = await doubted();
      const listed = await runProgram(['uncertain', '--json'], { env: env() });
      assert.deepEqual(
        JSON.parse(listed.stdout).map((row: { request_id: string }) => row.request_id),
        [id],
      );
      const careless = await runProgram(['uncertain', 'resend', id], { env: env() });
      assert.deepEqual(
        [careless.code, careless.stderr],
        [
          1,
          'The first call may have been charged and this one will be. Confirm with --accept-a-second-charge\n',
        ],
      );
      // The former names of these commands are aliases.
      const settled = await runProgram(['doubts', 'give-up', id], { env: env() });
      assert.deepEqual([settled.code, settled.stdout], [0, 'Resolved as not charged.\n']);
      const none = await runProgram(['uncertain'], { env: env() });
      assert.equal(none.stdout, 'No uncertain submissions.\n');
    });
  });
}
