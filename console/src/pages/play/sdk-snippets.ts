/** The request of a run as a program for the packages of others, which the gateway speaks to at its mounts. */
import { toJson } from '../../api/lossless-json.ts';
import { isMembers } from '../../form/input-value.ts';
import type { SnippetTarget } from './snippet-target.ts';

const savedAs = 'save it as job.mjs and run: node job.mjs';

/** The fields of the model stand beside `model`; pictures and sounds are asked for again until they are made. */
export const openai = ({ url, key, model, kind }: SnippetTarget, input: unknown): string =>
  `// npm install openai; ${savedAs}
${kind === 'image' ? '' : "import { writeFile } from 'node:fs/promises';\n"}import OpenAI from 'openai';

const openai = new OpenAI({ apiKey: ${toJson(key)}, baseURL: ${toJson(`${url}/openai/v1`)}, maxRetries: 20 });

const input = ${toJson(input, 2)};
${openaiCalls[kind](toJson(model))}`;

const openaiCalls: Readonly<Record<SnippetTarget['kind'], (model: string) => string>> = {
  video: model => `let video = await openai.videos.create({ model: ${model}, ...input });
while (video.status === 'queued' || video.status === 'in_progress') {
  await new Promise(resolve => setTimeout(resolve, 1000));
  video = await openai.videos.retrieve(video.id);
}
console.log(JSON.stringify(video, null, 2));
if (video.error) throw new Error(video.error.message);
const content = await openai.videos.downloadContent(video.id);
await writeFile('result.mp4', Buffer.from(await content.arrayBuffer()));`,
  image: model => `const images = await openai.images.generate({ model: ${model}, ...input });
console.log(JSON.stringify(images, null, 2));`,
  speech: model => `const sound = await openai.audio.speech.create({ model: ${model}, ...input });
const name = \`result.\${sound.headers.get('content-type').split('/')[1]}\`;
await writeFile(name, Buffer.from(await sound.arrayBuffer()));
console.log(JSON.stringify({ saved: name }, null, 2));`,
};

/** The mount takes our ids behind `atelier/`. */
export const fal = ({ url, key, model }: SnippetTarget, input: unknown): string =>
  `// npm install @fal-ai/client; ${savedAs}
import { fal } from '@fal-ai/client';

fal.config({ credentials: ${toJson(key)}, proxyUrl: { url: ${toJson(`${url}/fal/proxy`)}, when: 'always' } });

const input = ${toJson(input, 2)};
const { data } = await fal.subscribe(${toJson(`atelier/${model}`)}, { input });
console.log(JSON.stringify(data, null, 2));`;

/** The same for Replicate. */
export const replicate = ({ url, key, model }: SnippetTarget, input: unknown): string =>
  `// npm install replicate; ${savedAs}
import Replicate from 'replicate';

const replicate = new Replicate({ auth: ${toJson(key)}, baseUrl: ${toJson(`${url}/replicate/v1`)}, useFileOutput: false });

const input = ${toJson(input, 2)};
const output = await replicate.run(${toJson(`atelier/${model}`)}, { input });
console.log(JSON.stringify(output, null, 2));`;

/** Our provider of that package. The text is the word that it demands; all other fields are the model's own. */
export function aiSdk({ url, key, model, kind }: SnippetTarget, input: unknown): string {
  const { name, word, none, result, file, wait } = aiSdkCalls[kind];
  const { [word]: text, ...others } = isMembers(input) ? input : {};
  const [said, own] = typeof text === 'string' ? [toJson(text), others] : [none, input];
  return `// npm install ai ${url}/ai-sdk.tgz; ${savedAs}
import { writeFile } from 'node:fs/promises';
import { ${name} as generate } from 'ai';
import { createAtelier } from 'atelier-ai-sdk';

const atelier = createAtelier({ baseUrl: ${toJson(url)}, apiKey: ${toJson(key)} });

const { ${result}, providerMetadata } = await generate({
  model: atelier.${kind}Model(${toJson(model)}),
  ${word}: ${said},
  providerOptions: { atelier: ${toJson(own, 2).replaceAll('\n', '\n  ')} },${wait}
});
const name = \`result.\${${file}.mediaType.split('/')[1]}\`;
await writeFile(name, ${file}.uint8Array);
console.log(JSON.stringify({ saved: name, ...providerMetadata.atelier }, null, 2));`;
}

/**
 * The function of a kind, its word for the text, what stands there without one, where its file is, and how it waits:
 * for a video the package itself looks every five seconds, and gives up after ten minutes.
 */
const aiSdkCalls = {
  video: {
    name: 'experimental_generateVideo',
    word: 'prompt',
    none: '{}',
    result: 'video',
    file: 'video',
    wait: '\n  poll: { intervalMs: 1000, timeoutMs: 3_600_000 },',
  },
  image: {
    name: 'generateImage',
    word: 'prompt',
    none: '{ images: [] }',
    result: 'images',
    file: 'images[0]',
    wait: '',
  },
  speech: { name: 'generateSpeech', word: 'text', none: "''", result: 'audio', file: 'audio', wait: '' },
} as const;
