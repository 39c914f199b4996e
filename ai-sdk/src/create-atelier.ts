/** A gateway as a provider of the AI SDK. */

import {
  type FilesV4,
  type ImageModelV4,
  NoSuchModelError,
  type ProviderV4,
  type SpeechModelV4,
  type Experimental_VideoModelV4 as VideoModelV4,
} from '@ai-sdk/provider';
import { type ClientOptions, createClient } from 'atelier-client';
import { openFiles } from './files.ts';
import { imageModel } from './image-model.ts';
import { openDescriptions } from './model-call.ts';
import { speechModel } from './speech-model.ts';
import { videoModel } from './video-model.ts';

/** Models of a gateway by their ids, and its files. */
export interface AtelierProvider extends ProviderV4 {
  imageModel(modelId: string): ImageModelV4;
  speechModel(modelId: string): SpeechModelV4;
  videoModel(modelId: string): VideoModelV4;
  files(): FilesV4;
}

/** A provider of one gateway; takes the options of `createClient`. It sends nothing until a model is called. */
export function createAtelier(options: ClientOptions): AtelierProvider {
  const client = createClient(options);
  const gateway = {
    client,
    describe: openDescriptions(client),
    fetch: options.fetch ?? globalThis.fetch,
    baseUrl: options.baseUrl,
  };
  return {
    specificationVersion: 'v4',
    imageModel: modelId => imageModel(gateway, modelId),
    speechModel: modelId => speechModel(gateway, modelId),
    videoModel: modelId => videoModel(gateway, modelId),
    files: () => openFiles(gateway),
    languageModel: modelId => noModel(modelId, 'languageModel'),
    embeddingModel: modelId => noModel(modelId, 'embeddingModel'),
  };
}

function noModel(modelId: string, modelType: 'languageModel' | 'embeddingModel'): never {
  throw new NoSuchModelError({ modelId, modelType });
}
