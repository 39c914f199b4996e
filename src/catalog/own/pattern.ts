/** One character: itself, a class, or escaped. Groups and choices are left out: with them a text may be read in endless ways. */
const atom = /\\[dDwWsS]|\\[^\p{L}\p{N}]|\[(?:\\.|[^\]\\])+\]|[^\\[\](){}*+?|^$]/uy;
const quantifier = /([*+?])|\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/y;

/** How many ways there may be to lay a pattern over a text: what takes longer to try is refused. */
const maxWays = 100_000;

/**
 * Why a pattern of an operator is not taken; null where it is. What is taken cannot take long, whatever a client
 * sends: each piece stands for itself, and the pieces of changing length are few.
 */
export function patternFault(pattern: string, maxLength: number | undefined): string | null {
  if (maxLength === undefined) return 'needs a maxLength beside it';
  if (!isPattern(pattern)) return 'is no regular expression';
  const isAnchored = pattern.startsWith('^');
  const isClosed = pattern.endsWith('$') && !pattern.endsWith('\\$');
  const body = pattern.slice(isAnchored ? 1 : 0, isClosed ? -1 : undefined);
  let ways = isAnchored ? 1 : maxLength + 1;
  for (let at = 0; at < body.length; ) {
    const piece = matchAt(atom, body, at);
    if (!piece)
      return `has something at character ${at + 1} that is not taken: no groups, choices or lookarounds`;
    at += piece[0].length;
    const times = matchAt(quantifier, body, at);
    at += times?.[0].length ?? 0;
    ways *= times ? waysOf(times, maxLength) : 1;
  }
  return ways <= maxWays ? null : 'can be tried in too many ways: fewer of * + ? {}, or a smaller maxLength';
}

function waysOf([, sign, least, range, most]: RegExpExecArray, maxLength: number): number {
  if (sign !== undefined) return sign === '?' ? 2 : maxLength + 1;
  if (range === undefined) return 1;
  return Math.max(1, Math.min(maxLength, Number(most ?? maxLength)) - Number(least) + 1);
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  const sticky = new RegExp(expression);
  sticky.lastIndex = at;
  return sticky.exec(text);
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
