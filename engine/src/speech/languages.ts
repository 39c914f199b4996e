/** Chooses the voice of espeak-ng for each part of a text, by language and script. */

/** Voices of espeak-ng by the words of `language_boost`. It has no Filipino and no Nynorsk: neighbours are used. */
const voiceOfLanguage: Readonly<Record<string, string>> = {
  Chinese: 'cmn',
  'Chinese,Yue': 'yue',
  English: 'en-us',
  Arabic: 'ar',
  Russian: 'ru',
  Spanish: 'es',
  French: 'fr',
  Portuguese: 'pt-br',
  German: 'de',
  Turkish: 'tr',
  Dutch: 'nl',
  Ukrainian: 'uk',
  Vietnamese: 'vi',
  Indonesian: 'id',
  Japanese: 'ja',
  Italian: 'it',
  Korean: 'ko',
  Thai: 'th',
  Polish: 'pl',
  Romanian: 'ro',
  Greek: 'el',
  Czech: 'cs',
  Finnish: 'fi',
  Hindi: 'hi',
  Bulgarian: 'bg',
  Danish: 'da',
  Hebrew: 'he',
  Malay: 'ms',
  Persian: 'fa',
  Slovak: 'sk',
  Swedish: 'sv',
  Croatian: 'hr',
  Filipino: 'id',
  Hungarian: 'hu',
  Norwegian: 'nb',
  Slovenian: 'sl',
  Catalan: 'ca',
  Nynorsk: 'nb',
  Tamil: 'ta',
  Afrikaans: 'af',
};

/** A part of a text in one script, with the voice that reads it. */
export interface ScriptRun {
  /** With the digits and signs around it. */
  readonly text: string;
  /** Voice of espeak-ng, such as `en-us`. */
  readonly voice: string;
}

/** A name of Unicode. */
type Script = keyof typeof voiceOfScript;

/** The most likely language of each script. */
const voiceOfScript = {
  Latin: 'en-us',
  Han: 'cmn',
  Kana: 'ja',
  Hangul: 'ko',
  Cyrillic: 'ru',
  Arabic: 'ar',
  Hebrew: 'he',
  Greek: 'el',
  Thai: 'th',
  Devanagari: 'hi',
  Tamil: 'ta',
} as const;

/** Scripts of voices that are not Latin. */
const scriptOfVoice: Readonly<Record<string, Script>> = {
  cmn: 'Han',
  yue: 'Han',
  ja: 'Kana',
  ko: 'Hangul',
  ru: 'Cyrillic',
  uk: 'Cyrillic',
  bg: 'Cyrillic',
  ar: 'Arabic',
  fa: 'Arabic',
  he: 'Hebrew',
  el: 'Greek',
  th: 'Thai',
  hi: 'Devanagari',
  ta: 'Tamil',
};

/** Tested in this order. */
const scripts: readonly (readonly [Script, RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Han', /\p{Script=Han}/u],
  ['Kana', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['Hangul', /\p{Script=Hangul}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Arabic', /\p{Script=Arabic}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Thai', /\p{Script=Thai}/u],
  ['Devanagari', /\p{Script=Devanagari}/u],
  ['Tamil', /\p{Script=Tamil}/u],
];

/** Letters that identify one of the languages of a script. */
const distinctiveLetters: readonly (readonly [Script, RegExp, string])[] = [
  ['Cyrillic', /[їєґі]/i, 'uk'],
  ['Arabic', /[پچژگ]/, 'fa'],
  ['Latin', /[ñ¿¡]/i, 'es'],
  ['Latin', /[ãõ]/i, 'pt-br'],
  ['Latin', /[ăơưđạảấầẩậắằẵặẹẽếềểệỉịọỏốồổộớờởợụủứừửựỳỷỹỵ]/i, 'vi'],
  ['Latin', /[ßäöü]/i, 'de'],
  ['Latin', /[ğış]/i, 'tr'],
  ['Latin', /[łńśźż]/i, 'pl'],
  ['Latin', /[ěřů]/i, 'cs'],
  ['Latin', /[åø]/i, 'nb'],
  ['Latin', /[çœèêàù]/i, 'fr'],
];

/** Splits a text where its script changes. The requested language reads only its own script; others read theirs. */
export function splitByScript(text: string, language: string | null): ScriptRun[] {
  const requested = language === null ? undefined : voiceOfLanguage[language];
  const runs: { text: string; script: Script | undefined }[] = [];
  for (const character of text) {
    // Digits, signs and spaces have none: they belong to the run around them.
    const script = scripts.find(([, pattern]) => pattern.test(character))?.[0];
    const last = runs.at(-1);
    if (last === undefined) runs.push({ text: character, script });
    else if (script === undefined || last.script === undefined || script === last.script) {
      last.text += character;
      last.script ??= script;
    } else runs.push({ text: character, script });
  }
  return runs.map(run => ({ text: run.text, voice: voiceOf(run.script, run.text, requested, text) }));
}

/** Digits and signs have no script. Latin letters are looked up in the whole text, because runs are short. */
function voiceOf(
  script: Script | undefined,
  run: string,
  requested: string | undefined,
  whole: string,
): string {
  if (requested !== undefined && (script === undefined || (scriptOfVoice[requested] ?? 'Latin') === script))
    return requested;
  if (script === undefined) return requested ?? 'en-us';
  const sign = distinctiveLetters.find(
    ([of, pattern]) => of === script && pattern.test(script === 'Latin' ? whole : run),
  );
  return sign?.[2] ?? voiceOfScript[script];
}
