/** The options of a route to an OpenAI-compatible server, and how a job becomes one of its calls. */

import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FormData } from 'undici';
import { z } from 'zod';
import type { Faults } from '../../catalog/faults.ts';
import { basicCapabilities } from '../../catalog/field-meaning.ts';
import type { Model } from '../../catalog/model.ts';
import { toJson } from '../../domain/json.ts';
import type { ProviderTask } from '../../domain/provider.ts';
import { type BodyRoute, bodyInputFaults, bodyRouteOf } from '../kit/body-route.ts';
import { fillBody, fillPath, placeholderValuesOf } from '../kit/body-template.ts';
import { missingCapabilityFaults } from '../kit/capabilities.ts';
import type { ProviderDependencies } from '../kit/definition.ts';
import { type EngineJob, type EngineMedium, engineJobOf, engineRouteOptions } from '../kit/engine-job.ts';
import { invalidInputError, withoutDelivery } from '../kit/mapping.ts';
import { type EncodedInput, encodeMedia, encodingOf, inlineBytesPerMedium } from '../kit/media-encoding.ts';
import { newForm } from '../kit/upstream.ts';

/** The models that these servers can serve. Without a model at the route, the call names none. */
export const openaiCompatibleModels = {
  'alpha-2-0-mini': '',
  'alpha-1-5-pro': '',
  'gamma-v2-image': '',
  'gamma-v2-multi-image2image': '',
  'gamma-v3-image': '',
  'gamma-v3-turbo-t2v': '',
  'gamma-v3-omni-video': '',
  'epsilon-q2-turbo-img2video': '',
  'epsilon-q3-turbo-start-end2video': '',
  'zeta-v6-i2v': '',
  'eta2.6-t2v': '',
  'delta-speech-01-turbo': '',
  'delta-speech-02-hd': '',
  'theta-3.1-flash-tts-preview': '',
} as const;

/** Capabilities that a route may declare. */
const supportedCapabilities = [
  ...(['negative_prompt', 'seed', 'sound', 'first_frame', 'last_frame', 'guide_audio', 'shots'] as const),
  ...(['image_1', 'image_2', 'image_3', 'image_4', 'image_5', 'image_6', 'image_7', 'image_8'] as const),
  ...(['language', 'emotion'] as const),
] as const;

/** Options of a route. */
export const openaiCompatibleRouteOptions = z.strictObject({
  ...engineRouteOptions(supportedCapabilities),
  /** `videos`: a job that is polled, as vLLM-Omni and SGLang make one. `video`: the one long call of LocalAI. */
  api: z.enum(['videos', 'video']).default('videos'),
  /** Field for the language of speech: its name, or the letter that Kokoro-FastAPI uses. */
  language_field: z.enum(['language', 'lang_code']).default('language'),
  /** Members that are sent unchanged with every job of the route, such as num_inference_steps. */
  extra: z.record(z.string().min(1), z.json()).default({}),
});
type RouteOptions = z.output<typeof openaiCompatibleRouteOptions>;

/** The capabilities that each call can express; others are refused, whatever the engine could do. */
const pictures = supportedCapabilities.filter(name => name.startsWith('image_'));
const capabilitiesByCall = {
  videos: ['negative_prompt', 'seed', 'sound', 'first_frame', 'guide_audio', 'shots'],
  video: ['negative_prompt', 'seed', 'sound', 'first_frame', 'last_frame', 'guide_audio', 'shots'],
  image: ['negative_prompt', 'seed', ...pictures],
  speech: ['language', 'emotion'],
} as const satisfies Readonly<Record<string, readonly RouteOptions['does'][number][]>>;
/** The capabilities that the protocol guarantees for every server. */
const guaranteedCapabilities = [...basicCapabilities, 'count', 'speed'];

/** https://github.com/remsky/Kokoro-FastAPI: `lang_code`. */
const kokoroLetters: Readonly<Record<string, string>> = {
  English: 'a',
  Spanish: 'e',
  French: 'f',
  Hindi: 'h',
  Italian: 'i',
  Japanese: 'j',
  Portuguese: 'p',
  Chinese: 'z',
};
/** An input with a language. */
const boosted = z.object({ language_boost: z.string() });

/** What of an input the engine of the route cannot do. */
export function openaiFaults(model: Model, input: unknown, options: unknown): Faults {
  const { does, ignores, api, language_field: field } = openaiCompatibleRouteOptions.parse(options);
  const { kind } = model;
  const words: readonly string[] = capabilitiesByCall[kind === 'video' ? api : kind];
  const language = boosted.safeParse(input).data?.language_boost ?? 'auto';
  const isSpelled = does.includes('language') && field === 'lang_code' && language !== 'auto';
  const isForeign = isSpelled && !Object.hasOwn(kokoroLetters, language) && !ignores.includes('language');
  return [
    ...missingCapabilityFaults(
      model,
      input,
      new Set([...guaranteedCapabilities, ...does.filter(name => words.includes(name)), ...ignores]),
    ),
    ...(isForeign ? [{ path: 'language_boost', reason: `${language} is not available here` }] : []),
  ];
}

/** One call, and what a good answer to it contains. */
export interface OpenaiCall {
  readonly kind: 'call';
  readonly path: string;
  readonly body: string | FormData;
  readonly responseKind: 'handle' | 'items' | 'sound';
  readonly seed?: number;
}

/** The call for a job, by its kind and the options of its route. */
export async function openaiCall(
  entry: Model,
  task: ProviderTask,
  linkTo: ProviderDependencies['linkTo'],
): Promise<OpenaiCall | RefusedInput> {
  const route = bodyRouteOf(task.routeOptions);
  if (route) return writtenCall(entry, task, { route, linkTo });
  const options = openaiCompatibleRouteOptions.parse(task.routeOptions);
  const job = engineJobOf(entry, task, options);
  const model = task.upstreamModel === '' ? {} : { model: task.upstreamModel };
  const seed = options.does.includes('seed') ? { seed: Number(options.extra.seed ?? job.values.seed) } : {};
  const call = await callOf(job, options, { ...model, ...seed });
  return { kind: 'call', ...call, ...seed };
}

type RefusedInput = Extract<EncodedInput, { readonly kind: 'refused' }>;
/** Of all media in one body. */
const maxInlineBytesInAll = 64 * 1024 * 1024;
/** Where the calls of each kind go, unless a route says otherwise. */
const pathsByKind = {
  video: '/v1/videos',
  image: '/v1/images/generations',
  speech: '/v1/audio/speech',
} as const;

/** The call of a route that writes its body itself. */
async function writtenCall(
  entry: Model,
  task: ProviderTask,
  { route, linkTo }: { readonly route: BodyRoute; readonly linkTo: ProviderDependencies['linkTo'] },
): Promise<OpenaiCall | RefusedInput> {
  const refused = bodyInputFaults(entry, task.job.input, route);
  if (refused.length > 0) return { kind: 'refused', error: invalidInputError(refused) };
  const encoded = await encodeMedia(entry, task, {
    linkTo,
    encoding: facts => encodingOf(route.media, facts),
    maxInlineBytes: inlineBytesPerMedium(task, maxInlineBytesInAll),
  });
  if (encoded.kind === 'refused') return encoded;
  const fields = fillBody(route, task, withoutDelivery(entry, encoded.input));
  const path = fillPath(route.path ?? pathsByKind[entry.kind], placeholderValuesOf(task));
  const model = task.upstreamModel === '' ? {} : { model: task.upstreamModel };
  const body = { ...model, ...fields };
  // Only that route takes a form alone.
  if (path === pathsByKind.video)
    return { kind: 'call', path, body: await formOf(body, []), responseKind: 'handle' };
  return {
    kind: 'call',
    path,
    body: toJson(body),
    responseKind: entry.kind === 'speech' ? 'sound' : 'items',
  };
}

type EngineCall = Omit<OpenaiCall, 'kind'>;
type Members = Readonly<Record<string, unknown>>;

/** The call for the kind of a job; `head` are the members that all calls have. */
async function callOf(job: EngineJob, options: RouteOptions, head: Members): Promise<EngineCall> {
  switch (job.kind) {
    case 'video':
      return options.api === 'videos' ? videosCall(job, options, head) : videoCall(job, options, head);
    case 'image':
      return imagesCall(job, options, head);
    case 'speech':
      return speechCall(job, options, head);
  }
}

/** In frames where the route states frames per second, else in seconds. */
const lengthOf = ({ values: { fps, frames, seconds } }: EngineJob): Members =>
  fps === undefined ? { seconds: String(seconds) } : { fps, num_frames: frames };

const negativeOf = ({ values: { negative_prompt } }: EngineJob, { does }: RouteOptions): Members =>
  negative_prompt !== undefined && does.includes('negative_prompt') ? { negative_prompt } : {};

/** Width before height, in pixels. */
const sizeOf = ({ values: { width, height } }: EngineJob): string => `${width}x${height}`;

/** The medium of that name, where the engine of the route takes it. */
const mediumOf = ({ media }: EngineJob, { does }: RouteOptions, name: RouteOptions['does'][number]) =>
  does.includes(name) ? media[name] : undefined;

/** docs.vllm.ai/projects/vllm-omni, Videos API; docs.sglang.io, OpenAI API: a form, as only the second takes JSON too. */
async function videosCall(job: EngineJob, options: RouteOptions, head: Members): Promise<EngineCall> {
  const first = mediumOf(job, options, 'first_frame');
  const sound = job.media.guide_audio;
  const fields: Members = {
    ...head,
    prompt: job.values.prompt,
    size: sizeOf(job),
    ...lengthOf(job),
    ...negativeOf(job, options),
    ...(options.does.includes('sound') && { generate_sound: job.values.sound }),
    ...(sound &&
      options.does.includes('guide_audio') && { audio_reference: { audio_url: await dataUrl(sound) } }),
    ...options.extra,
  };
  return {
    path: '/v1/videos',
    body: await formOf(fields, first ? [['input_reference', first]] : []),
    responseKind: 'handle',
  };
}

/** LocalAI: media are base64 without a prefix; the answer arrives when the video is made. */
async function videoCall(job: EngineJob, options: RouteOptions, head: Members): Promise<EngineCall> {
  const bytesOf = async (medium: EngineMedium | undefined) => medium && (await base64(medium));
  const [first, last] = [mediumOf(job, options, 'first_frame'), mediumOf(job, options, 'last_frame')];
  const sound = options.does.includes('guide_audio') ? job.media.guide_audio : undefined;
  const { prompt, width, height } = job.values;
  return {
    path: '/video',
    body: toJson({
      ...head,
      prompt,
      width,
      height,
      ...lengthOf(job),
      ...negativeOf(job, options),
      start_image: await bytesOf(first),
      end_image: await bytesOf(last),
      audio: await bytesOf(sound),
      // An address at the server itself: a video in base64 would have to fit into memory.
      response_format: 'url',
      ...options.extra,
    }),
    responseKind: 'items',
  };
}

/** Images API: an edit where the job has pictures, else a generation. */
async function imagesCall(job: EngineJob, options: RouteOptions, head: Members): Promise<EngineCall> {
  const fields: Members = {
    ...head,
    prompt: job.values.prompt,
    n: job.values.count,
    size: sizeOf(job),
    ...negativeOf(job, options),
    response_format: 'b64_json',
    ...options.extra,
  };
  const given = pictures.flatMap(name => mediumOf(job, options, name) ?? []);
  return given.length > 0
    ? {
        path: '/v1/images/edits',
        body: await formOf(
          fields,
          given.map(picture => ['image', picture]),
        ),
        responseKind: 'items',
      }
    : { path: '/v1/images/generations', body: toJson(fields), responseKind: 'items' };
}

/** Speech API: the answer is the sound itself. */
function speechCall({ values }: EngineJob, options: RouteOptions, head: Members): EngineCall {
  const { does, extra, language_field: field } = options;
  const { language } = values;
  const spokenIn = field === 'lang_code' ? kokoroLetters[String(language)] : language;
  return {
    path: '/v1/audio/speech',
    body: toJson({
      ...head,
      input: values.text,
      voice: values.voice,
      response_format: values.format,
      speed: values.speed,
      // Kokoro streams by default, and a truncated stream would look complete.
      stream: false,
      ...(does.includes('language') && spokenIn !== undefined && { [field]: spokenIn }),
      ...(does.includes('emotion') &&
        values.emotion !== undefined && { instructions: `Speak in a voice that is ${values.emotion}.` }),
      ...extra,
    }),
    responseKind: 'sound',
  };
}

/** The bytes of a medium without a prefix, as LocalAI takes them. */
const base64 = async ({ path }: EngineMedium): Promise<string> => (await readFile(path)).toString('base64');
const dataUrl = async (medium: EngineMedium): Promise<string> =>
  `data:${medium.mimeType};base64,${await base64(medium)}`;

/** A multipart form; objects are written as JSON. */
async function formOf(
  fields: Members,
  files: readonly (readonly [name: string, medium: EngineMedium])[],
): Promise<FormData> {
  const form = newForm();
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'object' ? toJson(value) : String(value));
  for (const [name, { path, mimeType }] of files)
    form.append(name, await openAsBlob(path, { type: mimeType }), `input.${mimeType.split('/')[1]}`);
  return form;
}
