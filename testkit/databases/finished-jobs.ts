/** Rows of jobs that have ended, made without a worker, for tests that only read them. */
import { days } from '../../src/domain/clock.ts';
import { newFile, type StoredFile } from '../../src/domain/file.ts';
import { jobIdFromRow, keyIdFromRow, newJobId, userIdFromRow } from '../../src/domain/ids.ts';
import type { Output } from '../../src/domain/job.ts';
import { insertFiles } from '../../src/store/files/files.ts';
import { create, hold, image } from '../clients/queue.ts';
import type { TestGateway } from '../gateway/gateway.ts';

/** A job of this key that gave pictures of 1024 by 1024, as a worker would have left it; returns its id. */
export async function finishedPictures(gateway: TestGateway, key: string, count: number): Promise<string> {
  const { request_id } = await create(gateway, key, { model: image });
  await finishWithPictures(gateway, request_id, count);
  return request_id;
}

/** Ends the one waiting job of the model for pictures as a worker would. */
export async function finishWithPictures(gateway: TestGateway, jobId: string, count: number): Promise<void> {
  const held = await hold(gateway, image, jobId);
  const { db } = gateway.gateway;
  const [row] = await db.read('SELECT user_id, key_id FROM jobs WHERE id = $1', [jobId]);
  const owner = { userId: String(row?.user_id), keyId: String(row?.key_id) };
  const pictures = Array.from({ length: count }, (_, index) =>
    pictureOf(owner, jobId, index, gateway.clock.now()),
  );
  await db.transaction(tx =>
    insertFiles(
      tx,
      pictures.map(({ file }) => file),
    ),
  );
  const outputs = pictures.map(({ output }) => output);
  await held.settle({ kind: 'completed', result: { outputs, inferenceMs: 1 } });
}

/** Many jobs of one key with the same prompt, a millisecond apart from now on, each of which gave a picture. */
export async function fillWithPictures(
  { gateway: { db }, clock }: TestGateway,
  keyId: string,
  { count, prompt }: { readonly count: number; readonly prompt: string },
): Promise<void> {
  const [row] = await db.read('SELECT user_id FROM keys WHERE id = $1', [keyId]);
  const owner = { userId: String(row?.user_id), keyId };
  const now = clock.now();
  const all = Array.from({ length: count }, (_, n) => {
    const id = newJobId(now + n);
    return { id, at: now + n, ...pictureOf(owner, id, 0, now + n) };
  });
  const input = JSON.stringify({ prompt });
  for (let from = 0; from < count; from += rowsPerInsert) {
    const values = all
      .slice(from, from + rowsPerInsert)
      .flatMap(({ id, at, output }) => [
        id,
        at,
        at + 2 * days,
        JSON.stringify({ outputs: [output], inferenceMs: 1 }),
      ]);
    const rows = Array.from({ length: values.length / 4 }, (_, n) => {
      const [id, at, end, result] = [5, 6, 7, 8].map(place => `$${place + 4 * n}`);
      return `(${id}, $1, $2, $3, 'completed', 0, 0, ${at}, ${at}, ${at}, ${at}, ${end}, $4, ${result})`;
    });
    await db.write(
      `INSERT INTO jobs (id, user_id, key_id, model_id, state, band, rank, due_at, created_at, started_at,
         completed_at, expires_at, input, result) VALUES ${rows.join(', ')}`,
      [owner.userId, keyId, image, input, ...values],
    );
  }
  await db.transaction(tx =>
    insertFiles(
      tx,
      all.map(({ file }) => file),
    ),
  );
}

/** SQLite binds 32,766 values at most. */
const rowsPerInsert = 500;

/** A stored picture, and how the result of its job names it. */
function pictureOf(
  { userId, keyId }: { readonly userId: string; readonly keyId: string },
  jobId: string,
  index: number,
  now: number,
): { readonly file: StoredFile; readonly output: Output } {
  const size = { width: 1024, height: 1024 };
  const file = newFile(
    {
      blob: { key: `${jobId}-${index}`, bytes: 1, sha256: '00' },
      userId: userIdFromRow(userId),
      keyId: keyIdFromRow(keyId),
      jobId: jobIdFromRow(jobId),
      source: 'output',
      mimeType: 'image/png',
      name: `picture-${index}.png`,
      dimensions: size,
    },
    now,
  );
  const { id: fileId, fileName, mimeType, bytes, expiresAt } = file;
  return { file, output: { role: 'primary', index, fileId, fileName, mimeType, bytes, expiresAt, ...size } };
}
