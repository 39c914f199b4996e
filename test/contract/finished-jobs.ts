import { uuidv7 } from '../../src/domain/ids.ts';
import type { Output } from '../../src/domain/job.ts';
import type { TestGateway } from '../support/gateway.ts';
import { create, hold, image } from './queue.ts';

/** A job of this key that gave pictures of 1024 by 1024, as a worker would have left it; returns its id. */
export async function finishedPictures(gateway: TestGateway, key: string, count: number): Promise<string> {
  const { request_id } = await create(gateway, key, { model: image });
  const held = await hold(gateway, image, request_id);
  const outputs = Array.from(
    { length: count },
    (_, index): Output => ({
      role: 'primary',
      index,
      fileId: `file_${uuidv7(gateway.clock.now()).replaceAll('-', '').slice(0, 24)}`,
      fileName: `picture-${index}.png`,
      mimeType: 'image/png',
      bytes: 1,
      expiresAt: gateway.clock.now() + 1,
      width: 1024,
      height: 1024,
    }),
  );
  await held.settle({ kind: 'completed', result: { outputs, inferenceMs: 1 } });
  return request_id;
}
