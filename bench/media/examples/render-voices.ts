/** Renders a word in each voice that forms suggest, so that a voice can be heard before it is chosen. */
import { join } from 'node:path';
import { z } from 'zod';
import { findModel } from '../../../src/catalog/index.ts';
import { knownVoices } from '../../../src/catalog/known-voices.ts';
import { makeJob, type Studio } from '../make-job.ts';
import { shrinkSound } from './shrink.ts';

const theta = 'theta-3.1-flash-tts-preview';
const text = 'Hello, this is my voice.';
const bitrate = 16_000;

/** One mp3 for each voice, named after it. */
export async function renderVoices(studio: Studio, folder: string): Promise<void> {
  const speak = async (voice: string, model: string, input: object) => {
    const { shown } = await makeJob(studio, model, voice, { text, ...input });
    await shrinkSound(shown.paths[0], join(folder, `${voice}.mp3`), shown.seconds, bitrate);
  };
  for (const voice of knownVoices)
    await speak(voice, 'delta-speech-02-hd', { voice_setting: { voice_id: voice } });
  for (const voice of thetaVoices()) await speak(voice, theta, { voice_name: voice });
}

/** Its preset voices, by the schema. */
function thetaVoices(): readonly string[] {
  const schema = findModel(theta)?.schema;
  if (!schema) throw new Error(`expected the model ${theta}`);
  const { properties } = z
    .object({ properties: z.object({ voice_name: z.object({ enum: z.array(z.string()) }) }) })
    .parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  return properties.voice_name.enum;
}
