/** GET /admin/v1/jobs/{id}/lineage: what a job was made from, and what was made from it, on either database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { create, image } from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

const token = 'the-admin-token-of-this-very-test';
const zeta = 'zeta-v6-i2v';
const between = 'epsilon-q3-turbo-start-end2video';

interface Relative {
  readonly request_id: string;
  readonly relation: string;
}

for (const dialect of dialects) {
  describe(dialect, () => {
    let gateway: TestGateway;
    let key: string;
    before(async () => {
      gateway = await startGateway({ dialect, env: { ATELIER_ADMIN_TOKEN: token } });
      key = await gateway.key();
    });
    after(() => gateway.close());

    const admin = (method: string, path: string) => gateway.ask(method, `/admin/v1/${path}`, { key: token });
    /** Ids with their relation, parents and children. */
    async function lineageOf(id: string) {
      const { status, body } = await admin('GET', `jobs/${id}/lineage`);
      assert.equal(status, 200);
      const shortOf = (jobs: readonly Relative[]) =>
        jobs.map(({ request_id, relation }) => `${request_id} ${relation}`).toSorted();
      assert.deepEqual(
        { ...body, parents: shortOf(body.parents), children: shortOf(body.children) },
        {
          object: 'lineage',
          request_id: id,
          parents: shortOf(body.parents),
          children: shortOf(body.children),
          has_more: false,
        },
      );
      return { parents: shortOf(body.parents), children: shortOf(body.children) };
    }

    /** A job of the local engine, with the id of the file that it made. */
    async function drawn(prompt: string) {
      const { request_id: id } = await create(gateway, key, {
        model: image,
        body: { prompt, aspect_ratio: '1:1' },
      });
      const job = await until(async () => {
        const { body } = await admin('GET', `jobs/${id}`);
        return body.completed_at !== null && body;
      }, 'the picture');
      return { id, file: String(job.outputs[0].file_id) };
    }

    test('results of earlier jobs are parents, their jobs have it as a child, and a copy is one, too', async () => {
      const [day, night] = [await drawn('Day'), await drawn('Night')];
      const fails = '[atelier:fail=runtime_error]';
      const { request_id: film } = await create(gateway, key, {
        model: zeta,
        body: { image: day.file, prompt: fails, duration: 1, quality: '360p' },
      });
      const { request_id: both } = await create(gateway, key, {
        model: between,
        body: { images: [day.file, night.file], prompt: fails, duration: 1 },
      });
      const { body: again } = await admin('POST', `jobs/${film}/again`);
      assert.deepEqual(await lineageOf(film), {
        parents: [`${day.id} result`],
        children: [`${again.request_id} copy`],
      });
      assert.deepEqual(await lineageOf(again.request_id), {
        parents: [`${day.id} result`, `${film} copy`].toSorted(),
        children: [],
      });
      assert.deepEqual(await lineageOf(both), {
        parents: [`${day.id} result`, `${night.id} result`].toSorted(),
        children: [],
      });
      // The first result of an input decides whose child a job is.
      assert.deepEqual(await lineageOf(day.id), {
        parents: [],
        children: [`${film} result`, `${both} result`].toSorted(),
      });
      assert.deepEqual(await lineageOf(night.id), { parents: [], children: [] });
    });

    test('a signed result makes no child of the job of another user, and an unknown job is 404', async () => {
      const { id: maker, file } = await drawn('A kite');
      const { body: signed } = await gateway.ask('GET', `/v1/files/${file}`, { key });
      const other = await gateway.key({ userName: 'other' });
      const { request_id: id } = await create(gateway, other, {
        model: zeta,
        body: { image: signed.url, prompt: '[atelier:fail=runtime_error]', duration: 1, quality: '360p' },
      });
      const { body } = await gateway.ask('GET', `/admin/v1/jobs/${id}`, { key: token });
      assert.equal(body.input.image, file);
      const missing = await admin('GET', 'jobs/019e0000-0000-7000-8000-000000000009/lineage');
      assert.equal(missing.status, 404);
      assert.deepEqual((await lineageOf(id)).parents, [`${maker} result`]);
      assert.deepEqual((await lineageOf(maker)).children, []);
    });
  });
}
