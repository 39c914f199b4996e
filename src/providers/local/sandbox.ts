/** Switches such as `[atelier:fail=expired]` in a prompt, with which clients test failures and slow jobs. */

import type { RenderPlan, SpeechPlan } from '../../../engine/src/render-plan.ts';
import { seconds } from '../../domain/clock.ts';
import type { JobErrorCode } from '../../domain/job.ts';

/** What the switches in the texts of a plan request. */
export interface Sandbox {
  /** How the job ends instead of with media; null: with media. */
  readonly failure: { readonly code: JobErrorCode; readonly message: string } | null;
  /** Milliseconds by which the end is delayed. */
  readonly delayMs: number;
}

/** One switch. `written` is its text without brackets: `name` or `name=value`. */
type Switch =
  | { readonly kind: 'fail'; readonly code: JobErrorCode; readonly written: string }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'progress' }
  | { readonly kind: 'unknown'; readonly written: string };

/** The switches of one text. */
interface ParsedSwitches {
  readonly switches: readonly Switch[];
  /** The text without them; the very same text where there are none. */
  readonly rest: string;
}

const maxSlowSeconds = 600;
/** Long enough that a client that polls once a second sees progress. */
const progressMs = 5 * seconds;
/** Length of the silence that replaces a text of switches only. */
const silenceMs = 1 * seconds;

/** A record, so that the compiler requires every code of the union. */
const errorCodes: Readonly<Record<JobErrorCode, true>> = {
  runtime_error: true,
  invalid_input: true,
  file_download_error: true,
  file_invalid: true,
  content_policy_violation: true,
  provider_unavailable: true,
  submission_uncertain: true,
  expired: true,
  cancelled: true,
  response_too_large: true,
  internal_error: true,
};

/** The part of the error sentence that lists all switches. */
const supportedSwitches = `available: [atelier:fail=CODE] with one of ${Object.keys(errorCodes).join(', ')}; [atelier:slow=SECONDS] with 1 to ${maxSlowSeconds}; and [atelier:progress]`;

/** A switch without a closing bracket ends with its line: it is reported, not rendered. */
const switchPattern = / ?\[atelier:([^\]\n]*)(?:\]|(?=\n)|$)/gi;

/** Removes the switches from the texts of a plan, so that they are neither drawn nor spoken. */
export function extractSandbox(plan: RenderPlan): { readonly plan: RenderPlan; readonly sandbox: Sandbox } {
  const switches: Switch[] = [];
  const rest = mapTexts(plan, words => {
    const read = readSwitches(words);
    switches.push(...read.switches);
    return read.rest;
  });
  if (switches.length === 0) return { plan, sandbox: { failure: null, delayMs: 0 } };
  return {
    plan: rest.kind === 'speech' ? withSilenceIfEmpty(rest) : rest,
    sandbox: { failure: failureOf(switches), delayMs: delayOf(switches) },
  };
}

/** The switches of a text, and the text without them. */
export function readSwitches(text: string): ParsedSwitches {
  const switches = [...text.matchAll(switchPattern)].map(([, inner = '']) => readSwitch(inner));
  return { switches, rest: switches.length === 0 ? text : text.replace(switchPattern, '').trim() };
}

/** One switch; `unknown` for a name or a value that does not exist. */
function readSwitch(inner: string): Switch {
  const [name, value, ...more] = inner.split('=');
  const unknown: Switch = { kind: 'unknown', written: inner };
  if (more.length > 0) return unknown;
  switch (name) {
    case 'fail': {
      const code = value === 'content_policy' ? 'content_policy_violation' : value;
      return isErrorCode(code) ? { kind: 'fail', code, written: inner } : unknown;
    }
    case 'slow': {
      const wanted = /^\d{1,3}$/.test(value ?? '') ? Number(value) : 0;
      return wanted >= 1 && wanted <= maxSlowSeconds ? { kind: 'slow', delayMs: wanted * seconds } : unknown;
    }
    case 'progress':
      return value === undefined ? { kind: 'progress' } : unknown;
    default:
      return unknown;
  }
}

const isErrorCode = (word: string | undefined): word is JobErrorCode =>
  word !== undefined && Object.hasOwn(errorCodes, word);

/** An unknown switch is reported before anything that other switches request. */
function failureOf(switches: readonly Switch[]): Sandbox['failure'] {
  const unknown = switches.find(one => one.kind === 'unknown');
  if (unknown) {
    return {
      code: 'invalid_input',
      message: `the switch [atelier:${unknown.written}] does not exist; ${supportedSwitches}`,
    };
  }
  const fail = switches.find(one => one.kind === 'fail');
  return fail ? { code: fail.code, message: `requested by the switch [atelier:${fail.written}]` } : null;
}

/** The longest delay: all shots may repeat one text, so each switch counts once. */
const delayOf = (switches: readonly Switch[]): number =>
  switches.some(one => one.kind === 'unknown')
    ? 0
    : Math.max(
        ...switches.map(one =>
          one.kind === 'slow' ? one.delayMs : one.kind === 'progress' ? progressMs : 0,
        ),
      );

/** The same plan with every text of a prompt or of speech changed. */
function mapTexts(plan: RenderPlan, change: (words: string) => string): RenderPlan {
  const changed = <Words extends { readonly prompt?: string; readonly negativePrompt?: string }>(
    words: Words,
  ): Words => ({
    ...words,
    ...(words.prompt !== undefined && { prompt: change(words.prompt) }),
    ...(words.negativePrompt !== undefined && { negativePrompt: change(words.negativePrompt) }),
  });
  switch (plan.kind) {
    case 'image':
      return { ...changed(plan), ...(plan.variants && { variants: plan.variants.map(changed) }) };
    case 'video':
      return { ...changed(plan), shots: plan.shots.map(changed) };
    case 'speech':
      return {
        ...plan,
        pieces: plan.pieces.map(piece => ('text' in piece ? { text: change(piece.text) } : piece)),
      };
  }
}

/** A text of switches only becomes silence, because speech must have a length. */
const withSilenceIfEmpty = (plan: SpeechPlan): SpeechPlan =>
  plan.pieces.some(piece => 'pauseMs' in piece || piece.text.trim() !== '')
    ? plan
    : { ...plan, pieces: [{ pauseMs: silenceMs }] };
