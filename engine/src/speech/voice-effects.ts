/** Emotion, timbre, loudness and echo of speech, and the marker at its end. */
import type { SpeechPlan } from '../render-plan.ts';
import type { Prosody } from './synthesiser.ts';

/** Prosody and loudness of an emotion: factors of speed and gain, steps of pitch and range. */
interface EmotionSettings {
  readonly speed: number;
  readonly pitch: number;
  readonly range: number;
  readonly gain: number;
}

/** Without an emotion. */
const neutral: EmotionSettings = { speed: 1, pitch: 0, range: 0, gain: 1 };
/** Tuned by ear for espeak-ng. */
const emotionSettings: Readonly<Record<NonNullable<SpeechPlan['emotion']>, EmotionSettings>> = {
  happy: { speed: 1.08, pitch: 12, range: 25, gain: 1.1 },
  sad: { speed: 0.85, pitch: -10, range: -25, gain: 0.8 },
  angry: { speed: 1.12, pitch: 4, range: 20, gain: 1.35 },
  fearful: { speed: 1.18, pitch: 15, range: 8, gain: 0.85 },
  disgusted: { speed: 0.92, pitch: -8, range: 12, gain: 1 },
  surprised: { speed: 1.05, pitch: 18, range: 35, gain: 1.15 },
  calm: { speed: 0.92, pitch: -3, range: -15, gain: 0.9 },
};

/** espeak-ng is a little quiet. */
const baseGain = 1.35;
/** Level above which loudness is compressed. */
const knee = 0.8;

/** Of the plan's emotion, or the neutral ones. */
const emotionSettingsOf = (plan: SpeechPlan): EmotionSettings =>
  plan.emotion === null ? neutral : emotionSettings[plan.emotion];

/** Speed of the plan and of its emotion. */
export function prosodyOf(plan: SpeechPlan): Prosody {
  const { speed, pitch, range } = emotionSettingsOf(plan);
  return { speed: plan.speed * speed, pitch, range };
}

/** FFmpeg filters for timbre, intensity and the effects without an echo; the coefficients are tuned by ear. */
export function voiceGraph({ timbre, intensity, effect }: SpeechPlan['modify']): string[] {
  const graph: string[] = [];
  if (timbre !== 0)
    graph.push(
      `treble=g=${(timbre * 0.12).toFixed(2)}:f=2600`,
      `bass=g=${(timbre * -0.08).toFixed(2)}:f=240`,
    );
  if (intensity > 0)
    graph.push(
      `acompressor=threshold=0.08:ratio=${(1 + intensity * 0.05).toFixed(2)}:attack=4:release=60:makeup=${(1 + intensity * 0.012).toFixed(2)}`,
      `equalizer=f=1800:t=q:w=1:g=${(intensity * 0.04).toFixed(2)}`,
    );
  if (intensity < 0)
    graph.push(
      `equalizer=f=1800:t=q:w=1:g=${(intensity * 0.05).toFixed(2)}`,
      `volume=${(1 + intensity * 0.005).toFixed(3)}`,
    );
  if (effect === 'lofi_telephone')
    graph.push(
      'highpass=f=350',
      'highpass=f=350',
      'lowpass=f=3000',
      'lowpass=f=3000',
      'acrusher=bits=9:mix=0.35:samples=2',
      'volume=1.5',
    );
  if (effect === 'robotic')
    graph.push(
      "afftfilt=real='hypot(re,im)*sin(0)':imag='hypot(re,im)*cos(0)':win_size=512:overlap=0.75",
      'volume=1.6',
    );
  return graph;
}

/** Applies volume with a soft ceiling, so that nothing clips and silence stays silent. */
export function softLimit(samples: Float32Array, plan: SpeechPlan): Float32Array {
  const gain = plan.volume * emotionSettingsOf(plan).gain * baseGain;
  return samples.map(sample => {
    const loud = sample * gain;
    const above = Math.abs(loud) - knee;
    return above <= 0 ? loud : Math.sign(loud) * (knee + (0.98 - knee) * Math.tanh(above / (0.98 - knee)));
  });
}

/** One reflection. */
interface Echo {
  readonly delaySeconds: number;
  /** Gain of the reflection. */
  readonly strength: number;
}

/** A wide space with three late echoes, and a hall with six early reflections. */
const echoes: Readonly<Record<'spacious_echo' | 'auditorium_echo', readonly Echo[]>> = {
  spacious_echo: [
    { delaySeconds: 0.29, strength: 0.34 },
    { delaySeconds: 0.58, strength: 0.2 },
    { delaySeconds: 0.87, strength: 0.1 },
  ],
  auditorium_echo: [
    { delaySeconds: 0.031, strength: 0.3 },
    { delaySeconds: 0.053, strength: 0.26 },
    { delaySeconds: 0.083, strength: 0.22 },
    { delaySeconds: 0.127, strength: 0.17 },
    { delaySeconds: 0.191, strength: 0.12 },
    { delaySeconds: 0.283, strength: 0.08 },
  ],
};

/** Adds the echo of the plan over sentences and pauses, with a tail at the end; other plans are unchanged. */
export function addEffect(parts: Float32Array[], plan: SpeechPlan): Float32Array[] {
  const { effect } = plan.modify;
  if (effect !== 'spacious_echo' && effect !== 'auditorium_echo') return parts;
  const taps = echoes[effect].map(({ delaySeconds, strength }) => ({
    delay: Math.round(delaySeconds * plan.sampleRate),
    strength,
  }));
  const tail = Math.max(...taps.map(({ delay }) => delay));
  const dry = new Float32Array(parts.reduce((sum, part) => sum + part.length, tail));
  let filled = 0;
  for (const part of parts) {
    dry.set(part, filled);
    filled += part.length;
  }
  const wet = dry.map(
    (sample, i) =>
      sample * 0.72 +
      taps.reduce((sum, { delay, strength }) => sum + (i >= delay ? dry[i - delay]! * strength : 0), 0) *
        0.72,
  );
  return [wet];
}

/** The letters A and I in Morse code, as a sign that the speech is generated. */
export function morseMarker(sampleRate: number): Float32Array {
  const unit = Math.round(0.075 * sampleRate);
  // Dot and dash, then two dots, with silence before and after; a dash is three units long.
  const beats = [0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 0];
  const samples = new Float32Array(beats.length * unit);
  const edge = 0.006 * sampleRate;
  beats.forEach((on, beat) => {
    if (on === 0) return;
    const from = beat * unit;
    for (let i = from; i < from + unit; i++) {
      const opens = beats[beat - 1] === 1 ? 1 : Math.min(1, (i - from) / edge);
      const closes = beats[beat + 1] === 1 ? 1 : Math.min(1, (from + unit - i) / edge);
      samples[i] = 0.22 * Math.sin((2 * Math.PI * 880 * i) / sampleRate) * opens * closes;
    }
  });
  return samples;
}
