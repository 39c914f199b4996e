/** Chooses an espeak-ng voice for every voice id, always the same for the same id. */
import { hashText } from '../random.ts';

/** The sound of a voice id. */
export interface Voice {
  /** Variant of espeak-ng, written after the language: `en-us+f2`. */
  readonly variant: string;
  /** 0 to 99; 50 is the default of espeak-ng. */
  readonly pitch: number;
  /** Liveliness, 0 to 99. */
  readonly range: number;
}

/** A voice of a mix. */
export interface WeightedVoice {
  readonly voice: Voice;
  /** 0 to 1; the shares of a mix add up to 1. */
  readonly share: number;
}

/** Variants of espeak-ng that sound female, and those that sound male. */
const women = [
  'f1',
  'f2',
  'f3',
  'f4',
  'f5',
  'Annie',
  'Alicia',
  'Andrea',
  'belinda',
  'linda',
  'steph',
  'aunty',
];
const men = [
  'm1',
  'm2',
  'm3',
  'm4',
  'm5',
  'm6',
  'm7',
  'm8',
  'adam',
  'david',
  'edward',
  'michael',
  'Alex',
  'Andy',
  'john',
  'quincy',
  'paul',
  'robert',
];

/** Words in a voice id that name a sex. */
const femaleWords =
  /(^|[^a-z])(female|woman|girl|lady|queen|princess|sister|mother|mom|aunt|grandma|miss|mrs|her)([^a-z]|$)|女|姐|妹|娘|婆|妈/i;
const maleWords =
  /(^|[^a-z])(male|man|boy|guy|king|prince|brother|father|dad|uncle|grandpa|knight|elder|gentleman|mr|santa)([^a-z]|$)|男|哥|弟|叔|爷|爸/i;
/** Contract 2.16 lists voices by name only; these are known to be female. */
const femaleNames =
  /^(zephyr|kore|leda|aoede|callirrhoe|autonoe|despina|erinome|laomedeia|achernar|gacrux|pulcherrima|vindemiatrix|sulafat)$/i;

/** By the words of the id, else by its hash; the hash also varies pitch and range. */
export function findVoice(id: string): Voice {
  const hash = hashText(`voice ${id}`);
  const female = femaleNames.test(id) || femaleWords.test(id) || (!maleWords.test(id) && hash % 2 === 0);
  const list = female ? women : men;
  return {
    variant: list[(hash >>> 3) % list.length] ?? 'm3',
    pitch: (female ? 52 : 34) + ((hash >>> 9) % 17),
    range: 40 + ((hash >>> 15) % 29),
  };
}

/** Sorted by share: the timing of the others is fitted to the first. An empty list gives one default voice. */
export function mixVoices(
  voices: readonly { readonly id: string; readonly weight: number }[],
): WeightedVoice[] {
  const audible = voices.filter(({ weight }) => weight > 0);
  if (audible.length === 0) return [{ voice: findVoice(''), share: 1 }];
  const total = audible.reduce((sum, { weight }) => sum + weight, 0);
  return audible
    .map(({ id, weight }) => ({ voice: findVoice(id), share: weight / total }))
    .sort((a, b) => b.share - a.share);
}
