/** Writes LaTeX formulas in Chinese words, for `latex_read`. */

/** Contract 2.15, latex_read: the formulas of a text, between `$$`, in Chinese words; the rest as it stands. */
export const speakFormulas = (text: string): string =>
  text.replace(/\$\$([^$]*)\$\$/g, (_, formula: string) => wordsOf(formula));

/** How deep fractions and roots may stand in each other. */
const deepest = 8;

/** One formula in words: structures first, then signs. */
function wordsOf(formula: string): string {
  // Each backslash may come doubled, as the contract asks, or as a JSON string has already undone it.
  let words = formula.replaceAll('\\\\', '\\');
  for (let depth = 0; depth < deepest; depth++) {
    for (const [sign, spoken] of structures) words = words.replace(sign, spoken);
  }
  for (const [sign, spoken] of signs) words = words.replace(sign, spoken);
  return words
    .replace(/\\[a-zA-Z]+|[\\{}]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Structures with parts, replaced from the inside out, so that a part has no braces left. */
const structures: readonly (readonly [sign: RegExp, spoken: string])[] = [
  [/\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, '$2分之$1'],
  [/\\sqrt\s*\{([^{}]*)\}/g, '根号$1'],
  [/\^\s*(?:\{2\}|2)/g, '的平方'],
  [/\^\s*(?:\{3\}|3)/g, '的立方'],
  [/\^\s*(?:\{([^{}]*)\}|(\w))/g, '的$1$2次方'],
  [/_\s*(?:\{([^{}]*)\}|(\w))/g, '$1$2'],
];

/** Signs without parts, by their name in LaTeX or as the character itself. */
const signs: readonly (readonly [sign: RegExp, spoken: string])[] = [
  [/\\(?:times|cdot)\b|\*/g, '乘'],
  [/\\div\b/g, '除以'],
  [/\\pm\b/g, '加减'],
  [/\\leq?\b/g, '小于等于'],
  [/\\geq?\b/g, '大于等于'],
  [/\\neq?\b/g, '不等于'],
  [/\\approx\b/g, '约等于'],
  [/\\infty\b/g, '无穷大'],
  [/\\pi\b/g, '派'],
  [/\\sum\b/g, '求和'],
  [/\\int\b/g, '积分'],
  [/=/g, '等于'],
  [/\+/g, '加'],
  [/-/g, '减'],
  [/</g, '小于'],
  [/>/g, '大于'],
];
