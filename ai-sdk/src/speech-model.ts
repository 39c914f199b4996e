/** Speech models of the gateway. */

import type { SpeechModelV4, SpeechModelV4CallOptions } from '@ai-sdk/provider';
import type { SpeechResult } from 'atelier-client';
import { bytesOf, called, finishedJob, type Gateway, ownFields, providerName } from './model-call.ts';
import { type Word, writeInput } from './write-input.ts';

/** A speech model: a job, and the bytes of its sound. */
export function speechModel(gateway: Gateway, modelId: string): SpeechModelV4 {
  return {
    specificationVersion: 'v4',
    provider: providerName,
    modelId,
    doGenerate: options =>
      called(gateway, options, async () => {
        const { abortSignal: signal } = options;
        const input = await inputOf(gateway, modelId, options);
        const { data, requestId } = await finishedJob(gateway, modelId, input, options);
        const { audio } = data as SpeechResult;
        const { duration, sample_rate, channels } = audio;
        return {
          audio: await bytesOf(gateway, audio, signal),
          warnings: [],
          request: { body: input },
          response: { timestamp: new Date(), modelId },
          providerMetadata: { [providerName]: { requestId, duration, sample_rate, channels } },
        };
      }),
  };
}

async function inputOf(gateway: Gateway, modelId: string, options: SpeechModelV4CallOptions) {
  const { text, voice, outputFormat, instructions, speed, language, abortSignal, providerOptions } = options;
  const model = await gateway.describe(modelId, abortSignal);
  const words: readonly Word[] = [
    { name: 'text', value: text, to: ['text', 'prompt'] },
    { name: 'voice', value: voice, to: ['voice_setting.voice_id', 'voice_name', 'voice'] },
    { name: 'outputFormat', value: outputFormat, to: ['audio_setting.format', 'format'] },
    { name: 'instructions', value: instructions, to: ['instructions'] },
    { name: 'speed', value: speed, to: ['voice_setting.speed', 'speed'] },
    { name: 'language', value: language, to: ['language_boost', 'language'] },
  ];
  return writeInput(model, words, ownFields(providerOptions));
}
