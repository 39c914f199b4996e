import { soundRate } from '../av.ts';
import type { RenderContext } from '../messages.ts';
import type { SpeechPlan } from '../render-plan.ts';
import { synthesisePlan } from './speech.ts';

/** What is said in a film, and from which second of it. */
export interface NarrationLine {
  readonly text: string;
  readonly from: number;
  /** The next line may begin here. */
  readonly to: number;
  /** Voice id. */
  readonly voice: string;
}

const stereo = 2;
/** Seconds before a shot's first word. */
const leadInSeconds = 0.25;
const maxSpeed = 1.8;
/** How loud everything else stays while somebody speaks. */
const duckedGain = 0.35;
const duckFadeSamples = 0.12 * soundRate;

/** Speaks the lines over the sound; a line too long for its time is spoken faster, and cut at last. */
export async function narrate(
  sound: Float32Array,
  lines: readonly NarrationLine[],
  yieldToEventLoop: RenderContext['yieldToEventLoop'],
): Promise<void> {
  for (const line of lines) {
    const start = Math.round((line.from + leadInSeconds) * soundRate);
    const room = Math.min(sound.length / stereo, Math.round(line.to * soundRate)) - start;
    if (room <= 0) continue;
    const plan = planOf(line);
    const calm = await synthesisePlan(plan, yieldToEventLoop);
    const speed = Math.min(maxSpeed, calm.length / room);
    const voice = speed > 1 ? await synthesisePlan({ ...plan, speed }, yieldToEventLoop) : calm;
    mixIn(sound, voice, start, Math.min(room, voice.length));
  }
}

function mixIn(sound: Float32Array, voice: Float32Array, start: number, length: number): void {
  for (let i = 0; i < length; i++) {
    const near = Math.min(1, i / duckFadeSamples, (length - i) / duckFadeSamples);
    const rest = 1 - (1 - duckedGain) * near;
    // Cut words end softly.
    const gain = Math.min(1, (length - i) / 400);
    for (let ear = 0; ear < stereo; ear++) {
      const place = (start + i) * stereo + ear;
      sound[place] = Math.max(-1, Math.min(1, sound[place]! * rest + voice[i]! * gain * 0.9));
    }
  }
}

const planOf = ({ text, voice }: NarrationLine): SpeechPlan => ({
  kind: 'speech',
  pieces: [{ text }],
  language: null,
  voices: [{ id: voice, weight: 1 }],
  speed: 1,
  volume: 1,
  pitchSemitones: 0,
  emotion: null,
  format: 'pcm',
  sampleRate: soundRate,
  channels: 1,
  bitrate: 128_000,
  constantBitrate: false,
  modify: { pitch: 0, intensity: 0, timbre: 0, effect: null },
  pronunciations: [],
  marker: false,
  subtitles: 'none',
});
