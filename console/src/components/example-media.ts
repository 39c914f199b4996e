/** Addresses of the media that the console comes with: an example of each model, samples, a word of each voice. */
import { type SampleName, sampleNames } from '../form/sample-input.ts';

/** By path below `assets`; `npm run example-media` renders them with the local engine. */
const addresses: Readonly<Record<string, string>> = import.meta.glob('../assets/*/*', {
  eager: true,
  query: '?url',
  import: 'default',
});

/** The address of one file; undefined where there is none. */
const addressOf = (path: string): string | undefined => addresses[`../assets/${path}`];

/** The rendered first example of a model; every member is undefined for a model of the operator. */
export const exampleOf = (model: string) => ({
  picture: addressOf(`examples/${model}.webp`),
  video: addressOf(`examples/${model}.mp4`),
  sound: addressOf(`examples/${model}.mp3`),
});

/** A sample by its name. */
export const sampleAddress = (name: SampleName): string => addressOf(`samples/${sampleNames[name]}`) ?? '';

/** A word in that voice; undefined for a voice that has no sample. */
export const voiceAddress = (voice: string): string | undefined => addressOf(`voices/${voice}.mp3`);
