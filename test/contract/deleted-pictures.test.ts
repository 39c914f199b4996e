/** A follow-up on a picture whose file was deleted. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { dialects } from '../../testkit/databases/databases.ts';
import { finishedPictures } from '../../testkit/databases/finished-jobs.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const upscale = '/v1/queue/beta-upscale';

for (const dialect of dialects) {
  describe(`a follow-up on a picture (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
    });
    after(() => gateway.close());

    test('is refused once that picture was deleted, and taken for the others of the job', async () => {
      const key = await gateway.key();
      const jobId = await finishedPictures(gateway, key, 2);
      const { db } = gateway.gateway;
      const rows = await db.read('SELECT id FROM files WHERE job_id = $1 ORDER BY file_name', [jobId]);
      const gone = await gateway.ask('DELETE', `/v1/files/${rows[1]?.id}`, { key });
      assert.equal(gone.status, 200);
      const ask = (imageNo: number) =>
        gateway.ask('POST', upscale, { key, body: { jobId, imageNo, type: 0 } });
      const refused = await ask(1);
      assert.deepEqual(
        [refused.status, refused.body],
        [422, { detail: 'jobId: the file of that job was deleted or has expired' }],
      );
      assert.equal((await ask(0)).status, 200);
    });
  });
}
