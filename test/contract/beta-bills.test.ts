/** What a beta prompt with variants and repeats is billed as, and the pictures that it makes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { create, image, pathOf } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

let gateway: TestGateway;
let key: string;
before(async () => {
  gateway = await startGateway();
  key = await gateway.key();
});
after(() => gateway.close());

/** The result body of a job. */
async function resultOf(id: string, model: string) {
  const headers = { prefer: 'wait=60' };
  for (let asked = 0; asked < 5; asked++) {
    const { status, body } = await gateway.ask('GET', pathOf(id, '/response', model), { key, headers });
    if (status === 200) return body;
  }
  throw new Error(`expected job ${id} to end`);
}

const side = 256;
const editOf = (jobId: string, remixPrompt: string) => ({
  jobId,
  imageNo: 0,
  remixPrompt,
  canvas: { width: side, height: side },
  imgPos: { x: 64, y: 64, width: 128, height: 128 },
});

describe('what a prompt is billed', () => {
  test('is drawn: three variants twice are six jobs of four pictures each, and the log names what had no effect', async () => {
    const { request_id: base } = await create(gateway, key, {
      model: image,
      body: { prompt: 'A tower on a meadow', aspect_ratio: '1:1' },
    });
    assert.equal((await resultOf(base, image)).error, null);
    const model = 'beta-edit';
    const remixPrompt = 'a {red,blue,green} kite --repeat 2 --niji 6 --AR 16:9';
    const { request_id: id } = await create(gateway, key, { model, body: editOf(base, remixPrompt) });
    const body = await resultOf(id, model);

    assert.deepEqual([body.error, body.billed_jobs, body.images.length, body.urls.length], [null, 6, 24, 24]);
    const colours = ['red', 'blue', 'green'];
    assert.deepEqual(
      body.images.map((made: { index: number; variant: string }) => [made.index, made.variant]),
      Array.from({ length: 24 }, (_, index) => [
        index,
        `a ${colours[Math.floor(index / 8)]} kite --niji 6 --AR 16:9`,
      ]),
    );
    const bytes = await Promise.all(
      body.urls.map(async (url: string) =>
        Buffer.from(await (await fetch(url)).arrayBuffer()).toString('base64'),
      ),
    );
    assert.equal(new Set(bytes).size, 24, 'each picture differs');

    const { body: status } = await gateway.ask('GET', `${pathOf(id, '/status', model)}?logs=1`, { key });
    const messages = status.logs.map(({ message }: { message: string }) => message);
    assert.ok(
      messages.includes('These parameters of the prompt had no effect: --niji, --ar'),
      messages.join('\n'),
    );
  });
});
