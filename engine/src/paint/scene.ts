/** The scene that a prompt describes, as data. */
import type { Mood, Place, Thing, Time } from './lexicon.ts';
import type { Palette } from './palette.ts';

/** Everything that painters need to know of a prompt: plain data, the same for the same words and seed. */
export interface Scene {
  /** Seed of this picture: of the plan's seed, its index and its prompt. */
  readonly seed: number;
  /** Index of the picture or shot within its plan, from 0. */
  readonly index: number;
  /** The setting. */
  readonly place: Place;
  /** Time of day. */
  readonly time: Time;
  /** Applied to the palette in order. */
  readonly moods: readonly Mood[];
  /** Everything to draw. */
  readonly things: ReadonlySet<Thing>;
  /** The colours. */
  readonly palette: Palette;
  /** Movement over a shot; still pictures use its wind. */
  readonly motion: Motion;
  /** Share of the height above the horizon. */
  readonly horizon: number;
  /** Horizontal position of the subject, as a share of the width. */
  readonly focus: number;
  /** 1 = a figure in a landscape, 2 = close up. */
  readonly closeness: number;
  /** Texts in double quotes. */
  readonly words: readonly string[];
}

/** Camera movement and pace over a whole shot. */
export interface Motion {
  /** Shares of the width, to the right. */
  readonly pan: number;
  /** Shares of the height, upwards. */
  readonly lift: number;
  /** 0.1 = ends a tenth closer; negative: farther away. */
  readonly zoom: number;
  /** Speed of waves, clouds and snow; 1 = normal. */
  readonly pace: number;
  /** 0 to 1. */
  readonly wind: number;
}

/** A prompt with everything that decides how it is read. */
export interface SceneSettings {
  readonly prompt: string;
  /** Things and places in it are left out. */
  readonly negativePrompt?: string | undefined;
  /** 32-bit seed of the task. */
  readonly seed: number;
  /** Index within the plan: pictures and shots of one plan differ by it. */
  readonly index: number;
  /** 0 to 100 and 0 to 1000, as in the render plan. */
  readonly chaos?: number | undefined;
  readonly stylize?: number | undefined;
}
