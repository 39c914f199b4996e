/** Image models of the gateway. */

import type { ImageModelV4, ImageModelV4CallOptions } from '@ai-sdk/provider';
import type { ImageResult, ModelDescription } from 'atelier-client';
import { type MediaFile, mediaValue } from './media-words.ts';
import {
  bytesOf,
  called,
  finishedJob,
  type Gateway,
  ownFields,
  providerName,
  responseOf,
} from './model-call.ts';
import { fieldAt, type Word, writeInput } from './write-input.ts';

/** An image model: a job, and the bytes of every image that it made. */
export function imageModel(gateway: Gateway, modelId: string): ImageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: providerName,
    modelId,
    // A prompt may make several images; for a number of them, the SDK makes as many calls.
    maxImagesPerCall: 1,
    doGenerate: options =>
      called(gateway, options, async () => {
        const { abortSignal: signal } = options;
        const input = await inputOf(gateway, modelId, options);
        const { data, requestId } = await finishedJob(gateway, modelId, input, options);
        const { images } = data as ImageResult;
        const facts = images.map(({ width, height, content_type }) => ({ width, height, content_type }));
        return {
          images: await Promise.all(images.map(image => bytesOf(gateway, image, signal))),
          // The SDK would make another job.
          isRetryable: false,
          warnings: [],
          providerMetadata: { [providerName]: { requestId, images: facts } },
          response: responseOf(modelId),
        };
      }),
  };
}

async function inputOf(gateway: Gateway, modelId: string, options: ImageModelV4CallOptions) {
  const { prompt, size, aspectRatio, seed, files = [], mask, abortSignal, providerOptions } = options;
  const model = await gateway.describe(modelId, abortSignal);
  const words: readonly Word[] = [
    { name: 'prompt', value: prompt, to: ['prompt', 'remixPrompt'] },
    { name: 'size', value: size?.replace('x', '*'), to: ['size'] },
    { name: 'aspectRatio', value: aspectRatio, to: ['aspect_ratio', 'ratio'] },
    { name: 'seed', value: seed, to: ['seed'] },
    {
      name: 'files',
      value: files.length > 0 ? files : undefined,
      to: await toPictures(gateway, model, files, abortSignal),
    },
    { name: 'mask', value: mask, to: () => null },
  ];
  return writeInput(model, words, ownFields(providerOptions));
}

/** One picture in a field of its own, or all in a list. */
async function toPictures(
  gateway: Gateway,
  model: ModelDescription,
  files: readonly MediaFile[],
  signal: AbortSignal | undefined,
): Promise<Word['to']> {
  const path = files.length === 1 && fieldAt(model, 'image') ? 'image' : 'images';
  const field = fieldAt(model, path);
  if (!field || files.length === 0) return () => null;
  const takesDataUrl = (field.items ?? field).media?.forms.includes('data-url') ?? false;
  const values = await Promise.all(files.map(file => mediaValue(gateway, file, takesDataUrl, signal)));
  return () => [{ path, value: path === 'image' ? values[0] : values }];
}
