/** Speaks narration over the soundtrack of a film. */
import { soundRate } from '../av.ts';
import type { RenderContext } from '../messages.ts';
import type { SpeechPlan } from '../render-plan.ts';
import { synthesisePlan } from './speech.ts';

/** Text that is spoken in a film, with the time it has. */
export interface NarrationLine {
  /** Spoken in the language of its script. */
  readonly text: string;
  /** Seconds of the film. */
  readonly from: number;
  /** The next line may begin here. */
  readonly to: number;
  /** Voice id. */
  readonly voice: string;
}

/** Channels of a soundtrack. */
const stereo = 2;
/** Pause before the first word of a shot. */
const leadInSeconds = 0.25;
/** A line that is still too long at this speed is cut. */
const maxSpeed = 1.8;
/** Gain of the other sound while a line is spoken. */
const duckedGain = 0.35;
/** Fade before and after a line. */
const duckFadeSamples = 0.12 * soundRate;

/** Mixes the lines into the sound (interleaved stereo); a line too long for its time is spoken faster. */
export async function narrate(
  sound: Float32Array,
  lines: readonly NarrationLine[],
  yieldToEventLoop: RenderContext['yieldToEventLoop'],
): Promise<void> {
  for (const line of lines) {
    const start = Math.round((line.from + leadInSeconds) * soundRate);
    const available = Math.min(sound.length / stereo, Math.round(line.to * soundRate)) - start;
    if (available <= 0) continue;
    const plan = planOf(line);
    const normal = await synthesisePlan(plan, yieldToEventLoop);
    const speed = Math.min(maxSpeed, normal.length / available);
    const voice = speed > 1 ? await synthesisePlan({ ...plan, speed }, yieldToEventLoop) : normal;
    mixIn(sound, voice, start, Math.min(available, voice.length));
  }
}

/** Adds a voice and lowers the other sound below it, with soft edges. */
function mixIn(sound: Float32Array, voice: Float32Array, start: number, length: number): void {
  for (let i = 0; i < length; i++) {
    const near = Math.min(1, i / duckFadeSamples, (length - i) / duckFadeSamples);
    const rest = 1 - (1 - duckedGain) * near;
    // A line that was cut fades out.
    const gain = Math.min(1, (length - i) / 400);
    for (let ear = 0; ear < stereo; ear++) {
      const at = (start + i) * stereo + ear;
      sound[at] = Math.max(-1, Math.min(1, sound[at]! * rest + voice[i]! * gain * 0.9));
    }
  }
}

/** A neutral speech plan at the rate of the film. */
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
