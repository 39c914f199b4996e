/** The palette of a scene: chosen by time, place, moods and colour words, or taken from a picture. */
import { type Colour, hex, mix, saturate, shade, tint } from './colour.ts';
import type { Hue, Mood, Place, Time } from './lexicon.ts';

/** The colours of one scene; every other colour is mixed from these. */
export interface Palette {
  /** Sky from top to horizon. */
  readonly top: Colour;
  /** Halfway between the top and the horizon. */
  readonly middle: Colour;
  /** At the horizon; distant land fades into it. */
  readonly low: Colour;
  /** Sun, moon, lamps. */
  readonly light: Colour;
  /** Distant and near land. */
  readonly far: Colour;
  /** The darkest colour: silhouettes and shadows. */
  readonly near: Colour;
  /** Near ground. */
  readonly ground: Colour;
  /** Sea, lake and their depth. */
  readonly water: Colour;
  /** Colours of single things: sails, flowers, lamps. */
  readonly accent: Colour;
  /** A second accent. */
  readonly second: Colour;
  /** 0 (night) to 1 (noon). */
  readonly daylight: number;
}

/** The colours of a table, as `#rrggbb`. */
type Row = readonly [
  top: string,
  middle: string,
  low: string,
  light: string,
  far: string,
  near: string,
  water: string,
  accent: string,
  second: string,
];

/** Palettes by time of day. */
const times: Readonly<Record<Time, Row>> = {
  dawn: ['#4d6aa8', '#c79ac0', '#ffd8b5', '#fff0cf', '#a793b8', '#352f4f', '#a998bd', '#f79d78', '#8fc7d6'],
  day: ['#2f7bd0', '#7fbcec', '#e3f3f7', '#fff8e0', '#8fb5d2', '#24505a', '#3d8fc0', '#f6b93b', '#e8604c'],
  sunset: ['#31306b', '#b8507a', '#ffb45e', '#fff1bd', '#8d4f78', '#211a38', '#9a5674', '#ff8a4c', '#f9d270'],
  dusk: ['#1b2556', '#5c4f95', '#e09aa4', '#ffdcc6', '#524b80', '#171834', '#4f4f88', '#f3a6b8', '#7fb3e0'],
  night: ['#060a20', '#12204c', '#33578a', '#f5f0da', '#20325f', '#070c1e', '#16305c', '#ffcf78', '#7fd0e8'],
};

/** Places whose colours do not depend on the time. */
const places: Partial<Record<Place, Row>> = {
  space: ['#05060f', '#130f30', '#2b1c54', '#fff4e0', '#2a2350', '#070714', '#1a1740', '#ff9e6d', '#6fd3ff'],
  underwater: [
    '#35b6d6',
    '#0f78ae',
    '#06305e',
    '#d6fbff',
    '#0f5f8f',
    '#042444',
    '#0b5f94',
    '#ff9d6e',
    '#ffd56b',
  ],
};

/** The mood `neon` replaces every other palette. */
const neon: Row = [
  '#0b0722',
  '#35125c',
  '#d23a86',
  '#ffe6f2',
  '#3d1f6b',
  '#090616',
  '#2a1650',
  '#22e3ea',
  '#ff4fa3',
];

/** 0 (night) to 1 (noon). */
const daylights: Readonly<Record<Time, number>> = { dawn: 0.6, day: 1, sunset: 0.45, dusk: 0.3, night: 0.12 };

/** Ground colour of each place by day. */
const grounds: Readonly<Record<Place, string>> = {
  sea: '#d9bf8c',
  lake: '#55784f',
  mountains: '#5f7d63',
  city: '#41464f',
  forest: '#2f5f46',
  desert: '#d99a57',
  meadow: '#6aa84f',
  space: '#4a4560',
  underwater: '#c9b37e',
  studio: '#b9a99a',
  abstract: '#7f8aa0',
};

/** `hueShare` 0 to 1: how much colour words tint the whole scene; the accent always takes them. */
export function choosePalette(
  time: Time,
  place: Place,
  moods: readonly Mood[],
  hues: readonly Hue[],
  hueShare: number,
): Palette {
  const row = moods.includes('neon') ? neon : (places[place] ?? times[time]);
  const daylight = moods.includes('neon') ? 0.12 : place === 'space' ? 0.1 : daylights[time];
  const ground = mix(hex(row[5]), hex(grounds[place]), 0.15 + daylight * 0.75);
  let palette: Palette = {
    top: hex(row[0]),
    middle: hex(row[1]),
    low: hex(row[2]),
    light: hex(row[3]),
    far: hex(row[4]),
    near: hex(row[5]),
    water: hex(row[6]),
    accent: hex(row[7]),
    second: hex(row[8]),
    ground,
    daylight,
  };
  for (const mood of moods) palette = moodChanges[mood](palette);
  hues.forEach((hue, index) => {
    palette = tintPalette(palette, hex(hue), hueShare / (index + 1));
    if (index === 0) palette = { ...palette, accent: mix(palette.accent, hex(hue), 0.85) };
  });
  return palette;
}

/** The palette with the colours of a picture, given from dark to light. */
export function paletteOf(colours: readonly Colour[], palette: Palette): Palette {
  const at = (share: number) => colours[Math.round(share * (colours.length - 1))] ?? palette.middle;
  return {
    ...palette,
    top: mix(at(0.35), palette.top, 0.15),
    middle: mix(at(0.65), palette.middle, 0.15),
    low: mix(at(1), palette.low, 0.15),
    far: at(0.5),
    near: shade(at(0), -0.45),
    ground: shade(at(0.25), -0.1),
    water: mix(at(0.5), at(0.35), 0.5),
    accent: saturate(at(0.85), 1.5),
    second: saturate(at(0.4), 1.6),
  };
}

/** Tints every colour but the light, distant ones most. */
function tintPalette(palette: Palette, hue: Colour, share: number): Palette {
  const tinted = (colour: Colour, part: number) => tint(colour, hue, share * part);
  return {
    ...palette,
    top: tinted(palette.top, 0.9),
    middle: tinted(palette.middle, 1),
    low: tinted(palette.low, 0.6),
    far: tinted(palette.far, 0.9),
    near: tinted(palette.near, 0.4),
    water: tinted(palette.water, 0.9),
    ground: tinted(palette.ground, 0.2),
    accent: mix(palette.accent, hue, Math.min(1, share * 1.6)),
  };
}

/** Changes sky, land and water; light, accent and second stay. */
export const changeColours = (palette: Palette, change: (colour: Colour) => Colour): Palette => ({
  ...palette,
  top: change(palette.top),
  middle: change(palette.middle),
  low: change(palette.low),
  far: change(palette.far),
  near: change(palette.near),
  ground: change(palette.ground),
  water: change(palette.water),
});

/** How each mood changes a palette; `neon` has a table of its own. */
const moodChanges: Readonly<Record<Mood, (palette: Palette) => Palette>> = {
  neon: palette => palette,
  storm: palette => ({
    ...changeColours(palette, colour => shade(saturate(colour, 0.45), -0.22)),
    daylight: palette.daylight * 0.7,
  }),
  winter: palette => ({
    ...changeColours(palette, colour => mix(saturate(colour, 0.7), hex('#dbe8f2'), 0.15)),
    ground: mix(palette.ground, hex('#f2f6fa'), 0.25 + 0.6 * palette.daylight),
  }),
  autumn: palette => ({
    ...palette,
    ground: mix(palette.ground, hex('#b5651d'), 0.6),
    near: mix(palette.near, hex('#5a2d14'), 0.5),
    far: mix(palette.far, hex('#c98a5b'), 0.4),
    accent: hex('#e2711d'),
    second: hex('#f2b035'),
  }),
  spring: palette => ({
    ...palette,
    ground: mix(palette.ground, hex('#8cc63f'), 0.3),
    accent: hex('#f7a8c4'),
    second: hex('#ffe08a'),
    low: mix(palette.low, hex('#ffe3ee'), 0.35),
  }),
  noir: palette => {
    const grey = changeColours(palette, colour => saturate(colour, 0));
    return {
      ...grey,
      light: saturate(palette.light, 0),
      accent: saturate(palette.accent, 0),
      second: saturate(palette.second, 0),
    };
  },
  pastel: palette => changeColours(palette, colour => mix(saturate(colour, 0.8), hex('#ffffff'), 0.16)),
  warm: palette => tintPalette(palette, hex('#f0a050'), 0.28),
  cold: palette => tintPalette(palette, hex('#5a7fb0'), 0.35),
  dream: palette => tintPalette(palette, hex('#b07be0'), 0.3),
};

/** A mix of two palettes, colour by colour; `share` 0 is the first, 1 the second. */
export function mixPalettes(one: Palette, other: Palette, share: number): Palette {
  const between = (part: Exclude<keyof Palette, 'daylight'>) => mix(one[part], other[part], share);
  return {
    top: between('top'),
    middle: between('middle'),
    low: between('low'),
    light: between('light'),
    far: between('far'),
    near: between('near'),
    ground: between('ground'),
    water: between('water'),
    accent: between('accent'),
    second: between('second'),
    daylight: one.daylight + (other.daylight - one.daylight) * share,
  };
}
