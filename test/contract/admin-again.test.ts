/** POST /admin/v1/jobs/{id}/again: which jobs an operator can run again, and what the new job gets. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import { create, image, pathOf } from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';

const token = 'the-admin-token-of-this-very-test';

for (const dialect of dialects) {
  describe(dialect, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api', env: { ATELIER_ADMIN_TOKEN: token } });
    });
    after(() => gateway.close());

    const again = (id: string) => gateway.ask('POST', `/admin/v1/jobs/${id}/again`, { key: token });
    const cancel = async (key: string, id: string) =>
      assert.equal((await gateway.ask('PUT', pathOf(id, '/cancel', image), { key })).status, 200);

    test('a job that brought a picture is run again within the hour after its end, and later with 422', async () => {
      const key = await gateway.key();
      const medium = (await picture('jpeg', 400, 300)).toString('base64');
      const kept = (await gateway.keptFiles()).length;
      const { request_id } = await create(gateway, key, {
        model: image,
        body: { prompt: 'A boat', image: medium },
      });
      await cancel(key, request_id);
      gateway.clock.advance(50 * minutes);
      const { status, body } = await again(request_id);
      assert.equal(status, 200);
      // The picture is that of the first job, and not a second one.
      assert.equal((await gateway.keptFiles()).length, kept + 1);
      const { body: made } = await gateway.ask('GET', `/admin/v1/jobs/${body.request_id}`, { key: token });
      const file = await gateway.ask('GET', `/v1/files/${made.input.image}`, { key });
      assert.equal(file.status, 200);

      await cancel(key, body.request_id);
      gateway.clock.advance(61 * minutes);
      for (const id of [request_id, body.request_id]) {
        const refused = await again(id);
        assert.deepEqual(
          [refused.status, refused.body],
          [422, { detail: 'image: the file has expired or was deleted; create a new job with a new upload' }],
        );
        assert.equal(refused.headers.get('x-error-fields'), 'image');
      }
      await until(async () => {
        gateway.clock.advance(1 * minutes);
        return (await gateway.keptFiles()).length === kept;
      }, 'the bytes to be removed');
    });
  });
}
