import { hashText } from '../random.ts';

/** How a named voice sounds: always the same for the same name. */
export interface Voice {
  /** Speaker of the synthesiser, put after the language: `en-us+f2`. */
  readonly variant: string;
  /** 0 to 99; 50 is the synthesiser's own. */
  readonly pitch: number;
  readonly range: number;
}

export interface WeightedVoice {
  readonly voice: Voice;
  /** 0 to 1; all together are 1. */
  readonly share: number;
}

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

const femaleWords =
  /(^|[^a-z])(female|woman|girl|lady|queen|princess|sister|mother|mom|aunt|grandma|miss|mrs|her)([^a-z]|$)|女|姐|妹|娘|婆|妈/i;
const maleWords =
  /(^|[^a-z])(male|man|boy|guy|king|prince|brother|father|dad|uncle|grandpa|knight|elder|gentleman|mr|santa)([^a-z]|$)|男|哥|弟|叔|爷|爸/i;
/** Contract 2.16 names voices only; these are the ones known to be women's. */
const femaleNames =
  /^(zephyr|kore|leda|aoede|callirrhoe|autonoe|despina|erinome|laomedeia|achernar|gacrux|pulcherrima|vindemiatrix|sulafat)$/i;

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

/** The strongest first: the others are fitted to its timing. An empty list speaks with one neutral voice. */
export function mixVoices(
  voices: readonly { readonly id: string; readonly weight: number }[],
): WeightedVoice[] {
  const heard = voices.filter(({ weight }) => weight > 0);
  if (heard.length === 0) return [{ voice: findVoice(''), share: 1 }];
  const total = heard.reduce((sum, { weight }) => sum + weight, 0);
  return heard
    .map(({ id, weight }) => ({ voice: findVoice(id), share: weight / total }))
    .sort((a, b) => b.share - a.share);
}
