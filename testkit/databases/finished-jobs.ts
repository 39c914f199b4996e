/** Rows of jobs that have ended, made without a worker, for tests that only read them. */
import { newFile, type StoredFile } from '../../src/domain/file.ts';
import { jobIdFromRow, keyIdFromRow, userIdFromRow } from '../../src/domain/ids.ts';
import type { Output } from '../../src/domain/job.ts';
import { insertFiles } from '../../src/store/files/files.ts';
import { create, hold, image } from '../clients/queue.ts';
import type { TestGateway } from '../gateway/gateway.ts';

/** A job of this key that gave pictures of 1024 by 1024, as a worker would have left it; returns its id. */
export async function finishedPictures(gateway: TestGateway, key: string, count: number): Promise<string> {
  const { request_id } = await create(gateway, key, { model: image });
  const held = await hold(gateway, image, request_id);
  const { db } = gateway.gateway;
  const [row] = await db.read('SELECT user_id, key_id FROM jobs WHERE id = $1', [request_id]);
  const files = Array.from(
    { length: count },
    (_, index): StoredFile =>
      newFile(
        {
          blob: { key: `${request_id}-${index}`, bytes: 1, sha256: '00' },
          userId: userIdFromRow(String(row?.user_id)),
          keyId: keyIdFromRow(String(row?.key_id)),
          jobId: jobIdFromRow(request_id),
          source: 'output',
          mimeType: 'image/png',
          name: `picture-${index}.png`,
          dimensions: { width: 1024, height: 1024 },
        },
        gateway.clock.now(),
      ),
  );
  await db.transaction(tx => insertFiles(tx, files));
  const outputs = files.map(
    ({ id, fileName, mimeType, bytes, expiresAt }, index): Output => ({
      ...{ role: 'primary', index, fileId: id, fileName, mimeType, bytes, expiresAt },
      ...{ width: 1024, height: 1024 },
    }),
  );
  await held.settle({ kind: 'completed', result: { outputs, inferenceMs: 1 } });
  return request_id;
}
