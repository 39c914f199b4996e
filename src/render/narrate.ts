import type { SpeechPlan } from '../catalog/render-plan.ts';
import { soundRate } from './encode-video.ts';
import type { Stage } from './messages.ts';
import { speak } from './speech.ts';

/** What is said in a film, and from which second of it. */
export interface Line {
  readonly text: string;
  readonly from: number;
  /** The next line may begin here. */
  readonly to: number;
  /** Voice id. */
  readonly voice: string;
}

const stereo = 2;
/** Seconds before a shot's first word. */
const breath = 0.25;
const fastest = 1.8;
/** How loud everything else stays while somebody speaks. */
const under = 0.35;
const swellSamples = 0.12 * soundRate;

/** Speaks the lines over the sound; a line too long for its time is spoken faster, and cut at last. */
export async function narrate(
  sound: Float32Array,
  lines: readonly Line[],
  breathe: Stage['breathe'],
): Promise<void> {
  for (const line of lines) {
    const start = Math.round((line.from + breath) * soundRate);
    const room = Math.min(sound.length / stereo, Math.round(line.to * soundRate)) - start;
    if (room <= 0) continue;
    const plan = planOf(line);
    const calm = await speak(plan, breathe);
    const speed = Math.min(fastest, calm.length / room);
    const voice = speed > 1 ? await speak({ ...plan, speed }, breathe) : calm;
    mixIn(sound, voice, start, Math.min(room, voice.length));
  }
}

function mixIn(sound: Float32Array, voice: Float32Array, start: number, length: number): void {
  for (let i = 0; i < length; i++) {
    const near = Math.min(1, i / swellSamples, (length - i) / swellSamples);
    const rest = 1 - (1 - under) * near;
    // Cut words end softly.
    const gain = Math.min(1, (length - i) / 400);
    for (let ear = 0; ear < stereo; ear++) {
      const place = (start + i) * stereo + ear;
      sound[place] = Math.max(-1, Math.min(1, sound[place]! * rest + voice[i]! * gain * 0.9));
    }
  }
}

const planOf = ({ text, voice }: Line): SpeechPlan => ({
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
