/** Video models: start, status and webhook of the AI SDK are our creation, status and callback. */

import type {
  Experimental_VideoModelV4 as VideoModelV4,
  Experimental_VideoModelV4CallOptions as VideoModelV4CallOptions,
  Experimental_VideoModelV4OperationStatusResult as VideoModelV4Status,
} from '@ai-sdk/provider';
import type { JobRef, ModelDescription, VideoResult } from 'atelier-client';
import { type MediaFile, mediaValue } from './media-words.ts';
import {
  bytesOf,
  called,
  type Gateway,
  idempotencyOf,
  ownFields,
  providerName,
  responseOf,
} from './model-call.ts';
import { type Assignment, fieldAt, type Word, writeInput } from './write-input.ts';

type StartOptions = VideoModelV4CallOptions & { readonly webhookUrl?: string };

/** A video model of the gateway. */
export function videoModel(gateway: Gateway, modelId: string): VideoModelV4 {
  const { client } = gateway;
  return {
    specificationVersion: 'v4',
    provider: providerName,
    modelId,
    // A job is one video: for several, the SDK starts several.
    maxVideosPerCall: 1,
    async handleWebhookOption({ webhook }) {
      const { url, received } = await webhook();
      return { webhookUrl: url, received: untilEnd(gateway, modelId, received) };
    },
    doStart: options =>
      called(gateway, options, async () => {
        const input = await inputOf(gateway, modelId, options);
        const signal = options.abortSignal;
        const job = await client.queue.submit(modelId, { input, ...idempotencyOf(options.headers), signal });
        return {
          operation: { model: modelId, request_id: job.request_id },
          warnings: [],
          providerMetadata: { [providerName]: { requestId: job.request_id } },
          response: responseOf(modelId),
        };
      }),
    doStatus: ({ operation, abortSignal }) =>
      called(gateway, operation, () => statusOf(gateway, jobOf(operation), abortSignal)),
  };
}

/** A callback also reports that the job runs: only its end is what the SDK waits for. */
async function untilEnd<Received extends { readonly body: unknown }>(
  { client }: Gateway,
  model: string,
  received: PromiseLike<Received>,
): Promise<Received> {
  const notice = await received;
  const { request_id } = { request_id: undefined, ...(notice.body as object) };
  if (typeof request_id !== 'string')
    throw new Error('expected the body of a callback with request_id: the webhook must give it parsed');
  for await (const { status } of client.queue.watch({ model, request_id })) if (status === 'COMPLETED') break;
  return notice;
}

async function statusOf(
  gateway: Gateway,
  job: JobRef,
  signal: AbortSignal | undefined,
): Promise<VideoModelV4Status> {
  const { queue } = gateway.client;
  const response = responseOf(job.model);
  const metadata = { requestId: job.request_id };
  const { status } = await queue.status(job, { signal });
  if (status !== 'COMPLETED')
    return { status: 'pending', providerMetadata: { [providerName]: metadata }, response };
  const result = await queue.result(job, { signal });
  if (result.error !== null) {
    const error = `${result.error.code}: ${result.error.message}`;
    return { status: 'error', error, providerMetadata: { [providerName]: metadata }, response };
  }
  const { video } = result as VideoResult;
  if (video?.url == null)
    return { status: 'error', error: `${job.request_id} has no video, or it was deleted`, response };
  const { url, width, height, duration, fps, content_type: mediaType } = video;
  const videos = mayBeFetchedBySdk(url)
    ? [{ type: 'url' as const, url, mediaType }]
    : [{ type: 'binary' as const, data: await bytesOf(gateway, video, signal), mediaType }];
  const providerMetadata = { [providerName]: { ...metadata, url, width, height, duration, fps } };
  return { status: 'completed', videos, warnings: [], providerMetadata, response };
}

/** The SDK fetches nothing from private addresses; of a gateway on one, the bytes are fetched here. */
const mayBeFetchedBySdk = (url: string): boolean =>
  !/^\[|^(?:\d+\.){3}\d+$|(?:^|\.)localhost$|\.(?:local|internal)$/.test(new URL(url).hostname);

/** What `doStart` gave; it may have been stored and read again in between. */
function jobOf(operation: unknown): JobRef {
  const { model, request_id } = { model: undefined, request_id: undefined, ...(operation as object) };
  if (typeof model === 'string' && typeof request_id === 'string') return { model, request_id };
  throw new Error('expected the operation of a start: { model, request_id }');
}

async function inputOf(gateway: Gateway, modelId: string, options: StartOptions) {
  const model = await gateway.describe(modelId, options.abortSignal);
  const { aspectRatio, resolution, duration, fps, seed, generateAudio, webhookUrl } = options;
  const words: readonly Word[] = [
    ...(await promptWords(gateway, model, options)),
    { name: 'aspectRatio', value: aspectRatio, to: ['settings.aspect_ratio', 'aspect_ratio', 'ratio'] },
    { name: 'resolution', value: resolution, to: toResolution(resolution, aspectRatio) },
    { name: 'duration', value: duration, to: ['settings.duration', 'duration'] },
    { name: 'fps', value: fps, to: ['fps'] },
    { name: 'seed', value: seed, to: ['seed'] },
    { name: 'generateAudio', value: generateAudio, to: toSound(generateAudio) },
    { name: 'webhook', value: webhookUrl, to: ['options.callback_url', 'callback_url'] },
  ];
  return writeInput(model, words, ownFields(options.providerOptions));
}

/** The prompt, its frames and its references; in one list of a field `content`, where the model has that. */
async function promptWords(
  gateway: Gateway,
  model: ModelDescription,
  { prompt, image, frameImages, inputReferences = [], abortSignal }: StartOptions,
): Promise<readonly Word[]> {
  const last = frameImages?.find(({ frameType }) => frameType === 'last_frame')?.image;
  const mediaOf = (file: MediaFile, takesDataUrl: boolean) =>
    mediaValue(gateway, file, takesDataUrl, abortSignal);
  if (fieldAt(model, 'content')) {
    const pictureOf = async (file: MediaFile, role: string) => ({
      type: 'image_url',
      image_url: { url: await mediaOf(file, true) },
      role,
    });
    const content = await Promise.all([
      ...(prompt === undefined ? [] : [{ type: 'text', text: prompt }]),
      ...(image ? [pictureOf(image, 'first_frame')] : []),
      ...(last ? [pictureOf(last, 'last_frame')] : []),
      ...inputReferences.map(async file =>
        file.mediaType?.startsWith('video/')
          ? { type: 'video_url', video_url: { url: await mediaOf(file, false) }, role: 'reference_video' }
          : pictureOf(file, 'reference_image'),
      ),
    ]);
    return [{ name: 'prompt', value: content, to: () => [{ path: 'content', value: content }] }];
  }
  const takesDataUrl = (path: string) => fieldAt(model, path)?.media?.forms.includes('data-url') ?? false;
  const frames = [image, last].filter(file => file !== undefined);
  const first = frames.length === 1 && image ? image : undefined;
  const single = ['image', 'image_url'].find(path => fieldAt(model, path));
  const isList = first === undefined || single === undefined;
  const listed =
    isList && frames.length > 0 && fieldAt(model, 'images')
      ? await Promise.all(frames.map(file => mediaOf(file, listTakesDataUrl(model))))
      : undefined;
  return [
    { name: 'prompt', value: prompt, to: ['prompt'] },
    {
      name: last ? 'frameImages' : 'image',
      value: frames.length > 0 ? frames : undefined,
      to: listed ? () => [{ path: 'images', value: listed }] : await toSingle(first, single),
    },
    {
      name: 'inputReferences',
      value: inputReferences.length > 0 ? inputReferences : undefined,
      to: () => null,
    },
  ];

  async function toSingle(file: MediaFile | undefined, path: string | undefined): Promise<Word['to']> {
    if (file === undefined || path === undefined) return () => null;
    const value = await mediaOf(file, takesDataUrl(path));
    return () => [{ path, value }];
  }
}

const listTakesDataUrl = (model: ModelDescription): boolean =>
  fieldAt(model, 'images')?.items?.media?.forms.includes('data-url') ?? false;

/** `1280x720` as a size in pixels, or as a level beside a ratio. */
function toResolution(resolution: string | undefined, aspectRatio: string | undefined): Word['to'] {
  const [width = 0, height = 0] = (resolution ?? '').split('x').map(Number);
  const level = `${Math.min(width, height)}p`;
  return model => {
    if (fieldAt(model, 'size')) return [{ path: 'size', value: `${width}*${height}` }];
    const path = ['settings.resolution', 'resolution', 'quality'].find(one =>
      fieldAt(model, one)?.enum?.includes(level),
    );
    if (path === undefined) return null;
    const ratio = ['settings.aspect_ratio', 'aspect_ratio', 'ratio'].find(one => fieldAt(model, one));
    const levels: readonly Assignment[] = [{ path, value: level }];
    if (ratio === undefined || aspectRatio !== undefined) return levels;
    return [...levels, { path: ratio, value: ratioOf(width, height) }];
  };
}

/** `16:9` for 1280 and 720. */
function ratioOf(width: number, height: number): string {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const common = divisor(width, height) || 1;
  return `${width / common}:${height / common}`;
}

/** A switch, or the words on and off. */
function toSound(isWanted: boolean | undefined): Word['to'] {
  return model => {
    const path = ['generate_audio', 'generate_audio_switch', 'audio'].find(one =>
      [fieldAt(model, one)?.type ?? []].flat().includes('boolean'),
    );
    if (path !== undefined) return [{ path, value: isWanted }];
    return fieldAt(model, 'sound')?.enum?.includes('on')
      ? [{ path: 'sound', value: isWanted ? 'on' : 'off' }]
      : null;
  };
}
