/** Composes background music and ambience for scenes, from a seed. */
import { soundRate } from '../av.ts';
import type { Scene } from '../paint/scene.ts';
import { between, mulberry32, pick, type Random } from '../random.ts';

/** What to compose. */
export interface Composition {
  /** Decides scale, chords and rhythm. */
  readonly seed: number;
  /** Length in samples at 48 kHz, for each ear. */
  readonly samples: number;
  /** The scenes of the film, each with the second it begins at. */
  readonly scenes: readonly { readonly scene: Scene; readonly from: number }[];
  /** Pads and plucks. */
  readonly music: boolean;
  /** The sound of the place. */
  readonly effects: boolean;
}

/** Channels: voices stand at different places. */
const stereo = 2;
/** -3 dBFS. */
const peak = 0.708;
/** Lower where there is only ambience: noise sounds louder than music of the same peak. */
const quietPeak = 0.35;
/** Samples of one period in a wavetable. */
const tableSize = 2048;

/** Semitones above the root. */
const scales = {
  major: [0, 2, 4, 5, 7, 9, 11],
  lydian: [0, 2, 4, 6, 7, 9, 11],
  dorian: [0, 2, 3, 5, 7, 9, 10],
  minor: [0, 2, 3, 5, 7, 8, 10],
} as const;
/** Four chords by their degree in the scale. */
const progressions = [
  [0, 4, 5, 3],
  [0, 5, 3, 4],
  [0, 3, 5, 4],
  [5, 3, 0, 4],
  [0, 2, 3, 4],
] as const;

/** Pads, plucks and ambience as interleaved stereo, -1 to 1; the same for the same seed. */
export function composeMusic(composition: Composition): Float32Array {
  const { seed, samples, scenes, music, effects } = composition;
  const sound = new Float32Array(samples * stereo);
  if (music) addMusic(sound, composition);
  if (!effects) return normalise(sound, peak);
  scenes.forEach(({ scene, from }, index) => {
    const to = scenes[index + 1]?.from ?? samples / soundRate;
    addAmbience(sound, ambienceOf(scene, !music), from, to, seed + index);
  });
  return normalise(sound, music ? peak : quietPeak);
}

/** A chord progression of pads with random plucks, one bar after the other. */
function addMusic(sound: Float32Array, { seed, samples, scenes }: Composition): void {
  const random = mulberry32(seed ^ 0x50bd);
  const first = scenes[0]?.scene;
  const scale = scales[chooseScale(first, random)];
  const root = 40 + Math.floor(random() * 9);
  const pace = first?.motion.pace ?? 1;
  // 66 to 84 beats a minute, faster with the pace of the motion.
  const beat = 60 / (between(random, 66, 84) * (0.75 + 0.25 * pace));
  const progression = pick(random, progressions);
  const seconds = samples / soundRate;
  const note = (degree: number) => root + scale[((degree % 7) + 7) % 7]! + 12 * Math.floor(degree / 7);
  const bar = beat * 4;
  const [padTable, pluckTable] = [wavetableOf(padHarmonics), wavetableOf(pluckHarmonics)];
  for (let index = 0; index * bar < seconds; index++) {
    const chord = progression[index % progression.length]!;
    for (const [voice, degree] of [chord, chord + 4, chord + 7, chord + 9, chord + 11].entries()) {
      addPad(
        sound,
        padTable,
        note(degree),
        index * bar,
        bar * 1.35,
        0.11 / (1 + voice * 0.22),
        voice % 2 === 0 ? -0.35 : 0.35,
      );
    }
    for (let step = 0; step < 8; step++) {
      if (random() < 0.38) continue;
      const degree = chord + 14 + pick(random, [0, 2, 4, 7, 9]);
      addPluck(
        sound,
        pluckTable,
        note(degree),
        index * bar + (step * beat) / 2,
        0.12 * between(random, 0.5, 1),
        between(random, -0.7, 0.7),
      );
    }
  }
  addEcho(sound, beat * 0.75);
}

/** Mode by mood, time and place. */
function chooseScale(scene: Scene | undefined, random: Random): keyof typeof scales {
  if (scene === undefined) return 'major';
  if (scene.moods.some(mood => mood === 'storm' || mood === 'cold' || mood === 'noir')) return 'minor';
  if (scene.moods.includes('neon') || scene.time === 'night') return 'dorian';
  if (scene.moods.includes('dream') || scene.place === 'space') return 'lydian';
  return random() < 0.7 ? 'major' : 'lydian';
}

/** Hertz of a MIDI note number. */
const frequency = (midi: number) => 440 * 2 ** ((midi - 69) / 12);

/** One period of a tone with these harmonics. */
function wavetableOf(harmonics: readonly number[]): Float32Array {
  const table = new Float32Array(tableSize);
  for (let i = 0; i < tableSize; i++) {
    harmonics.forEach((strength, index) => {
      table[i]! += strength * Math.sin((2 * Math.PI * (index + 1) * i) / tableSize);
    });
  }
  return table;
}

/** Strengths of the harmonics. */
const padHarmonics = [1, 0.42, 0.2, 0.1, 0.06, 0.03];
/** Strengths of the fundamental and its overtones, which make a string sound plucked. */
const pluckHarmonics = [1, 0.22, 0.12, 0.03];

/** A chord tone that swells and fades: two slightly detuned oscillators; `side` -1 left to 1 right. */
function addPad(
  sound: Float32Array,
  table: Float32Array,
  midi: number,
  from: number,
  seconds: number,
  strength: number,
  side: number,
): void {
  const start = Math.round(from * soundRate);
  const end = Math.min(sound.length / stereo, start + Math.round(seconds * soundRate));
  const length = seconds * soundRate;
  for (const detune of [0.9985, 1.0015]) {
    const step = (frequency(midi) * detune * tableSize) / soundRate;
    const left = strength * 0.5 * (1 - side * (detune > 1 ? 1 : -1));
    const right = strength * 0.5 * (1 + side * (detune > 1 ? 1 : -1));
    let place = (midi * 97) % tableSize;
    for (let i = start; i < end; i++) {
      const along = (i - start) / length;
      // Slow attack and release.
      const swell = Math.min(1, along / 0.3) * Math.min(1, (1 - along) / 0.35);
      const value = table[place | 0]! * swell * swell * (3 - 2 * swell);
      sound[i * stereo]! += value * left;
      sound[i * stereo + 1]! += value * right;
      place += step;
      if (place >= tableSize) place -= tableSize;
    }
  }
}

/** A short tone with a fast attack that fades out. */
function addPluck(
  sound: Float32Array,
  table: Float32Array,
  midi: number,
  from: number,
  strength: number,
  side: number,
): void {
  const start = Math.round(from * soundRate);
  const end = Math.min(sound.length / stereo, start + Math.round(1.6 * soundRate));
  const step = (frequency(midi) * tableSize) / soundRate;
  const attack = 0.006 * soundRate;
  const fade = Math.exp(-1 / (0.34 * soundRate));
  let place = 0;
  let loud = strength;
  for (let i = start; i < end; i++) {
    const value = table[place | 0]! * loud * Math.min(1, (i - start) / attack);
    sound[i * stereo]! += value * (0.5 - side / 2);
    sound[i * stereo + 1]! += value * (0.5 + side / 2);
    loud *= fade;
    place += step;
    if (place >= tableSize) place -= tableSize;
  }
}

/** Each echo changes the ear, which sounds like a small space. */
function addEcho(sound: Float32Array, seconds: number): void {
  const delay = Math.round(seconds * soundRate) * stereo;
  for (let i = delay; i < sound.length; i++) sound[i]! += 0.3 * sound[(i ^ 1) - delay]!;
}

/** Waves, rain, wind or the hum of a city: noise through a low-pass filter, swelling slowly. */
function addAmbience(
  sound: Float32Array,
  { strength, bright, swell }: Ambience,
  from: number,
  to: number,
  seed: number,
): void {
  if (strength === 0) return;
  const random = mulberry32(seed ^ 0xa3b1);
  const start = Math.round(from * soundRate);
  const end = Math.min(sound.length / stereo, Math.round(to * soundRate));
  const edge = 0.3 * soundRate;
  const low = [0, 0];
  const lower = [0, 0];
  for (let i = start; i < end; i++) {
    const level = 1 - swell * (0.5 + 0.5 * Math.sin((i / soundRate) * 2 * Math.PI * 0.14 + seed));
    const gate = Math.min(1, (i - start) / edge, (end - i) / edge);
    for (let ear = 0; ear < stereo; ear++) {
      low[ear]! += bright * (random() * 2 - 1 - low[ear]!);
      lower[ear]! += bright * (low[ear]! - lower[ear]!);
      sound[i * stereo + ear]! += lower[ear]! * strength * level * level * gate;
    }
  }
}

/** Noise of a place. */
interface Ambience {
  /** Gain of the noise; 0 = silent. */
  readonly strength: number;
  /** Coefficient of the low-pass filter, 0 to 1: higher is brighter. */
  readonly bright: number;
  /** Depth of the slow swell, 0 to 1. */
  readonly swell: number;
}

/** `alone`: without music, quiet places have a faint noise, too. */
function ambienceOf(scene: Scene, alone: boolean): Ambience {
  if (scene.things.has('rain') || scene.moods.includes('storm'))
    return { strength: 0.16, bright: 0.5, swell: 0.15 };
  if (scene.place === 'sea') return { strength: 0.45, bright: 0.14, swell: 0.8 };
  if (scene.place === 'lake') return { strength: 0.2, bright: 0.2, swell: 0.5 };
  if (scene.place === 'underwater') return { strength: 0.6, bright: 0.03, swell: 0.5 };
  if (scene.place === 'city') return { strength: 0.4, bright: 0.04, swell: 0.3 };
  if (scene.place === 'studio' || scene.place === 'abstract' || scene.place === 'space')
    return alone ? { strength: 0.3, bright: 0.03, swell: 0.4 } : { strength: 0, bright: 0, swell: 0 };
  return { strength: 0.16 + 0.2 * scene.motion.wind, bright: 0.08, swell: 0.7 };
}

/** Fades both ends and scales the loudest sample to the peak. */
function normalise(sound: Float32Array, to: number): Float32Array {
  const samples = sound.length / stereo;
  const fadeIn = Math.min(0.5 * soundRate, samples / 4);
  const fadeOut = Math.min(1.2 * soundRate, samples / 3);
  let loudest = 1e-6;
  for (let i = 0; i < samples; i++) {
    const gain = Math.min(1, i / fadeIn, (samples - i) / fadeOut);
    for (let ear = 0; ear < stereo; ear++) {
      const value = sound[i * stereo + ear]! * gain;
      sound[i * stereo + ear] = value;
      loudest = Math.max(loudest, Math.abs(value));
    }
  }
  const gain = to / loudest;
  for (let i = 0; i < sound.length; i++) sound[i]! *= gain;
  return sound;
}
