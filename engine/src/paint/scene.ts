import type { Mood, Place, Thing, Time } from './lexicon.ts';
import type { Palette } from './palette.ts';

/** What a prompt becomes before anything is drawn: plain data, the same for the same words and seed. */
export interface Scene {
  readonly seed: number;
  /** Which picture or shot of its plan it is, from 0. */
  readonly index: number;
  readonly place: Place;
  readonly time: Time;
  readonly moods: readonly Mood[];
  readonly things: ReadonlySet<Thing>;
  readonly palette: Palette;
  readonly motion: Motion;
  /** Share of the height above the horizon. */
  readonly horizon: number;
  /** Share of the width where the subject stands. */
  readonly focus: number;
  /** 1 = a figure in a landscape, 2 = close up. */
  readonly closeness: number;
  /** What stood in double quotes. */
  readonly words: readonly string[];
}

/** How the view moves over the whole of a shot. */
export interface Motion {
  /** Shares of the width, to the right. */
  readonly pan: number;
  /** Shares of the height, upwards. */
  readonly lift: number;
  /** 0.1 = ends a tenth closer. */
  readonly zoom: number;
  /** 1 = as usual: waves, clouds, snow. */
  readonly pace: number;
  /** 0 to 1. */
  readonly wind: number;
}

export interface SceneSettings {
  readonly prompt: string;
  readonly negativePrompt?: string | undefined;
  readonly seed: number;
  /** Pictures and shots of one plan differ by this. */
  readonly index: number;
  /** 0 to 100, 0 to 1000; see the plan. */
  readonly chaos?: number | undefined;
  readonly stylize?: number | undefined;
}
