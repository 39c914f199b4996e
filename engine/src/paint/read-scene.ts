/** Reads a prompt into a scene: place, time, things, moods, colours and motion. */
import { between, hashText, mixSeeds, mulberry32, pick } from '../random.ts';
import {
  findMentioned,
  hueWords,
  type Mood,
  type Move,
  moodWords,
  moveWords,
  type Place,
  placeWords,
  type Thing,
  type Time,
  thingWords,
  timeWords,
} from './lexicon.ts';
import { choosePalette } from './palette.ts';
import type { Motion, Scene, SceneSettings } from './scene.ts';
import { stylizeScene, varyScene } from './vary-scene.ts';

/** Things that a colour word can belong to. */
const coloured = [
  'car',
  'boat',
  'balloon',
  'house',
  'cat',
  'dog',
  'fox',
  'wolf',
  'person',
  'rocket',
  'flowers',
  'fish',
  'butterfly',
  'bird',
] as const;
/** Subjects that are drawn larger than a person would be. */
const animals = ['cat', 'dog', 'fox', 'wolf'] as const;
/** Settings for prompts that name things but no place. */
const places: readonly Place[] = ['mountains', 'lake', 'meadow', 'sea', 'forest'];

/** The same words and seed give the same scene; things of the negative prompt are left out. */
export function readScene(settings: SceneSettings): Scene {
  const excluded = new Set(findMentioned(thingWords, settings.negativePrompt ?? ''));
  const varied = varyScene(readWords(settings, excluded), settings.chaos ?? 0, excluded);
  return stylizeScene(varied, settings.stylize ?? 100);
}

/** The scene before `--chaos` and `--stylize`. Every choice draws from one stream of random numbers, in this order. */
function readWords(
  { prompt, negativePrompt = '', seed, index }: SceneSettings,
  excluded: ReadonlySet<Thing>,
): Scene {
  // The words are part of the seed: another prompt with the same seed is another picture.
  const mixed = mixSeeds(mixSeeds(seed, index), hashText(prompt));
  const random = mulberry32(mixed);
  const things = new Set(findMentioned(thingWords, prompt).filter(thing => !excluded.has(thing)));
  const moods = findMentioned(moodWords, prompt);
  const moves = findMentioned(moveWords, prompt);
  const place = choosePlace(prompt, negativePrompt, things, random);
  const time = chooseTime(prompt, things, index, random);
  addCompany(things, excluded, place, time, moods, random);
  // The subject is left or right of the middle, by the rule of thirds.
  const focus = random() < 0.5 ? between(random, 0.28, 0.36) : between(random, 0.64, 0.72);
  return {
    seed: mixed,
    index,
    place,
    time,
    moods,
    things,
    palette: choosePalette(
      time,
      place,
      moods,
      findMentioned(hueWords, prompt),
      hasColouredThing(things) ? 0.12 : 0.55,
    ),
    motion: chooseMotion(moves, random),
    horizon: between(random, 0.54, 0.66) + (place === 'city' ? 0.1 : 0),
    focus,
    // 2: the subject fills the picture; animals are drawn larger than people are.
    closeness: /close-?up|portrait|macro|特写|肖像/i.test(prompt)
      ? 2
      : animals.some(animal => things.has(animal))
        ? 1.45
        : 1,
    words: quotedWords(prompt),
  };
}

/** Where a thing can have the colour of a colour word, the word tints the whole scene only a little. */
const hasColouredThing = (things: ReadonlySet<Thing>) => coloured.some(thing => things.has(thing));

/** Texts in straight or curly double quotes, which are drawn or spoken. */
function quotedWords(prompt: string): string[] {
  return [...prompt.matchAll(/["“]([^"“”]{1,80})["”]/g)]
    .map(match => match[1]!.trim())
    .filter(word => word !== '');
}

/** The first place of the prompt that the negative prompt does not name, else a fitting one. */
function choosePlace(
  prompt: string,
  negative: string,
  things: ReadonlySet<Thing>,
  random: () => number,
): Place {
  const excluded = new Set<Place>(findMentioned(placeWords, negative));
  const found = findMentioned(placeWords, prompt).find(place => !excluded.has(place));
  if (found !== undefined) return found;
  if (things.has('fish')) return 'underwater';
  return things.size === 0
    ? 'abstract'
    : pick(
        random,
        places.filter(place => !excluded.has(place)),
      );
}

/** The time of the prompt; else pictures and shots of one plan get different times. */
function chooseTime(prompt: string, things: ReadonlySet<Thing>, index: number, random: () => number): Time {
  const mentioned = findMentioned(timeWords, prompt)[0];
  if (mentioned !== undefined) return mentioned;
  if (things.has('fire') || things.has('lightning')) return 'dusk';
  const shift = Math.floor(random() * 4) + index;
  return (['day', 'sunset', 'dawn', 'dusk'] as const)[shift % 4]!;
}

/** Adds things that belong to a place and time, though the prompt does not name them. */
function addCompany(
  things: Set<Thing>,
  excluded: ReadonlySet<Thing>,
  place: Place,
  time: Time,
  moods: readonly Mood[],
  random: () => number,
): void {
  const add = (thing: Thing) => {
    if (!excluded.has(thing)) things.add(thing);
  };
  // A covered sky has no stars, moon or sun.
  const covered = things.has('rain') || moods.includes('storm');
  if (place === 'space' || (time === 'night' && !covered)) add('stars');
  if (place === 'underwater') add('fish');
  if (place === 'forest') add('trees');
  if (place === 'meadow' && random() < 0.6 && !moods.includes('winter')) add('flowers');
  if (place === 'meadow' || place === 'lake') add('trees');
  if (place === 'mountains' || place === 'lake') add('mountains');
  if (place === 'city') add('city');
  if (place === 'space' || place === 'underwater' || place === 'studio' || place === 'abstract') return;
  if (time === 'night' && !covered && !things.has('aurora')) add('moon');
  if (time !== 'night' && !covered) add('sun');
  if (covered || random() < 0.75) add('clouds');
  if (moods.includes('winter') && random() < 0.6) add('snow');
  if (place === 'sea' && random() < 0.5) add('bird');
}

/** The camera movement of the prompt; without one a slow drift. */
function chooseMotion(moves: readonly Move[], random: () => number): Motion {
  const pace = moves.includes('fast') ? 1.8 : moves.includes('slow') ? 0.6 : 1;
  const wind = moves.includes('wind') ? 0.9 : 0.3;
  if (moves.includes('still')) return { pan: 0, lift: 0, zoom: 0, pace, wind };
  const drift = between(random, 0.05, 0.09) * (random() < 0.5 ? -1 : 1);
  const pan = moves.includes('left') ? -0.22 : moves.includes('right') ? 0.22 : drift;
  const zoom = moves.includes('in') ? 0.28 : moves.includes('out') ? -0.22 : between(random, 0.03, 0.07);
  // The root: a fast film pans faster, but not by as much.
  return { pan: pan * Math.sqrt(pace), lift: moves.includes('up') ? 0.1 : 0, zoom, pace, wind };
}
