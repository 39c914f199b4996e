/** The AI SDK's own package for Replicate, unmodified, against the mount for clients of Replicate. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import { createReplicate } from '@ai-sdk/replicate';
import {
  generateImage,
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
} from 'ai';
import { validateWebhook } from 'replicate';
import { thrown } from '../../testkit/clients/thrown.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { openReceiver, type Receiver } from '../../testkit/net/receiver.ts';

const video = 'bytedance/seedance-1.5-pro';
const image = 'atelier/gamma-v2-image';

let gateway: TestGateway;
let receiver: Receiver;
let key: string;
before(async () => {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  gateway = await startGateway();
  receiver = await openReceiver();
  key = await gateway.key();
});
after(async () => {
  await receiver.close();
  await gateway.close();
});

/** The published provider, with the two things that a program changes. */
const openProvider = (send: typeof fetch = fetch) =>
  createReplicate({ apiToken: key, baseURL: `${gateway.url}/replicate/v1`, fetch: send });

/** Sends, and loses the first answer to a creation behind a proxy that is to be tried again at once. */
function losingFirstAnswer(): { readonly send: typeof fetch; readonly created: () => number } {
  let created = 0;
  const send: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (init?.method !== 'POST' || ++created > 1) return answer;
    await answer.arrayBuffer();
    return new Response('{}', { status: 502, headers: { 'retry-after-ms': '1' } });
  };
  return { send, created: () => created };
}

/** What the package threw. It has its own copy of the classes, so it is asked as programs ask. */
async function failureOf<Failure>(
  call: Promise<unknown>,
  kind: { isInstance(failure: unknown): failure is Failure },
): Promise<Failure> {
  const failure = await thrown(call, Error);
  assert.ok(kind.isInstance(failure), String(failure));
  return failure;
}

const jobs = async () => (await gateway.ask('GET', '/v1/jobs', { key })).body.data;
const inputOf = async (id: string) => (await gateway.ask('GET', `/v1/jobs/${id}`, { key })).body.input;
const newestAfter = (known: number) =>
  until(async () => {
    const all = await jobs();
    return all.length > known ? all[0] : undefined;
  }, 'the job');
const idIn = (operation: unknown) => (operation as { getUrl: string }).getUrl.split('/').at(-1)!;
const cancel = (id: string) => gateway.ask('POST', `/replicate/v1/predictions/${id}/cancel`, { key });

describe('pictures', () => {
  test('of words, a shape and a picture of the call', async () => {
    const { images } = await generateImage({
      model: openProvider().image(image),
      prompt: { text: 'A boat', images: [new Uint8Array(await picture('png', 320, 320))] },
      aspectRatio: '1:1',
    });
    assert.deepEqual(
      images.map(({ mediaType, uint8Array }) => [mediaType, uint8Array.length > 1000]),
      [['image/png', true]],
    );
    const [job] = await jobs();
    const { prompt, aspect_ratio, n, image: given } = await inputOf(job.request_id);
    assert.deepEqual([prompt, aspect_ratio, n, typeof given], ['A boat', '1:1', 1, 'string']);
  });

  test('a retry after a lost answer makes one job, also of several pictures in one call', async () => {
    const known = (await jobs()).length;
    const { send, created } = losingFirstAnswer();
    const { images } = await generateImage({
      ...{ model: openProvider(send).image(image), prompt: 'Two boats', n: 2, maxImagesPerCall: 2 },
      size: '1024x1024',
    });
    assert.deepEqual([images.length, created(), (await jobs()).length], [2, 2, known + 1]);
  });

  test('a failed one is thrown with its reason', async () => {
    const call = generateImage({
      model: openProvider().image(image),
      prompt: 'A boat [atelier:fail=content_policy_violation]',
    });
    const failure = await failureOf(call, InvalidResponseDataError);
    assert.match(failure.message, /^Replicate image generation failed: /);
  });

  test('an aborted call leaves its job, which can be cancelled; the next such call then says so', async () => {
    const known = (await jobs()).length;
    const abort = new AbortController();
    const words = { model: openProvider().image(image), prompt: 'Slow [atelier:slow=60]' };
    const aborted = assert.rejects(generateImage({ ...words, abortSignal: abort.signal }), {
      name: 'AbortError',
    });
    const { request_id: id } = await newestAfter(known);
    abort.abort();
    await aborted;
    assert.equal((await cancel(id)).status, 200);
    const failure = await failureOf(generateImage(words), InvalidResponseDataError);
    assert.match(failure.message, /^Replicate image generation canceled: /);
    assert.equal((await jobs()).length, known + 1);
  });

  test('a refusal is an APICallError with the sentence, which is not repeated', async () => {
    const call = generateImage({ model: openProvider().image(image), prompt: 'A boat', aspectRatio: '7:1' });
    const failure = await failureOf(call, APICallError);
    assert.deepEqual([failure.statusCode, failure.isRetryable], [422, false]);
    assert.match(failure.message, /^aspect_ratio: /);
  });
});

describe('videos', () => {
  const words = {
    prompt: 'A lighthouse',
    aspectRatio: '16:9',
    duration: 4,
    providerOptions: { replicate: { resolution: '480p', generate_audio: false } },
  } as const;

  test('the webhook that ends the wait verifies, and the file follows', async () => {
    const result = await generateVideo({
      ...{ model: openProvider().video(video), ...words },
      // The package refuses files at a private address, which that of this gateway is.
      download: async ({ url }) => {
        const answer = await fetch(url);
        const mediaType = answer.headers.get('content-type') ?? undefined;
        return { data: new Uint8Array(await answer.arrayBuffer()), mediaType };
      },
      webhook: async () => ({
        url: receiver.url,
        received: until(async () => receiver.notices[0], 'the callback').then(({ body, headers }) => ({
          body,
          headers,
        })),
      }),
    });
    assert.equal(result.video.mediaType, 'video/mp4');
    assert.ok(result.video.uint8Array.length > 10_000);
    const { predictionId } = result.providerMetadata.replicate as { readonly predictionId: string };
    const { content, resolution, ratio, duration, generate_audio } = await inputOf(predictionId);
    assert.deepEqual(
      { content, resolution, ratio, duration, generate_audio },
      {
        content: [{ type: 'text', text: 'A lighthouse' }],
        ...{ resolution: '480p', ratio: '16:9', duration: 4, generate_audio: false },
      },
    );
    const { text, headers } = receiver.notices[0]!;
    const secret = await gateway.ask('GET', '/replicate/v1/webhooks/default/secret', { key });
    const request = new Request(receiver.url, { method: 'POST', headers: { ...headers }, body: text });
    assert.equal(await validateWebhook(request, secret.body.key), true);
  });

  test('a retry after a lost answer makes one job, which can be cancelled', async () => {
    const known = (await jobs()).length;
    const { send, created } = losingFirstAnswer();
    const model = openProvider(send).video(video);
    const { operation } = await startVideo({ ...words, model, prompt: 'Once [atelier:slow=60]' });
    assert.deepEqual([created(), (await jobs()).length], [2, known + 1]);
    assert.equal((await getVideoStatus(model, { operation })).status, 'pending');
    const { body } = await cancel(idIn(operation));
    const ended = await until(async () => {
      const status = await getVideoStatus(model, { operation });
      return status.status === 'pending' ? undefined : status;
    }, 'the end');
    assert.equal(body.id, idIn(operation));
    assert.equal(ended.status === 'error' && ended.error, 'Video generation was canceled');
  });

  test('of a picture of the call; a failed one is a status with its reason', async () => {
    const frame = new Uint8Array(await picture('png', 640, 360));
    const model = openProvider().video(video);
    const prompt = { image: frame, text: 'It moves [atelier:fail=content_policy_violation]' };
    const { operation } = await startVideo({ ...words, model, prompt });
    const { content } = await inputOf(idIn(operation));
    assert.deepEqual(
      content.map(({ type, role }: { type: string; role?: string }) => [type, role]),
      [
        ['text', undefined],
        ['image_url', 'first_frame'],
      ],
    );
    const ended = await until(async () => {
      const status = await getVideoStatus(model, { operation });
      return status.status === 'pending' ? undefined : status;
    }, 'the end');
    assert.match(ended.status === 'error' ? ended.error : '', /^Video generation failed: /);
  });

  test('a word without a field is refused before there is a job', async () => {
    const known = (await jobs()).length;
    const model = openProvider().video(video);
    const failure = await failureOf(startVideo({ ...words, model, fps: 24 }), APICallError);
    assert.deepEqual([failure.statusCode, failure.message], [422, 'fps: unknown field']);
    assert.equal((await jobs()).length, known);
  });
});
