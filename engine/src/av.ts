import type { CodecContext } from 'node-av';
import type { EOFSignal } from 'node-av/constants';
import * as av from 'node-av/constants';

/** Receiving gives an owned thing, null (needs more) or a mark of the end; only the first can be freed. */
export function isReceived<T extends { free(): void }>(received: T | EOFSignal | null): received is T {
  return typeof received === 'object' && received !== null && typeof received.free === 'function';
}

/** Options that are given when an encoder is created are freed twice, some time after; these are not. */
export function setCodecOption(context: CodecContext, name: string, value: string): void {
  const code = context.setOption(name, value, av.AV_OPT_TYPE_STRING, av.AV_OPT_SEARCH_CHILDREN);
  if (code < 0) throw new Error(`expected the encoder to know ${name}, got code ${code}`);
}

export const soundRate = 48_000;

/** Written into every file, so that nobody takes it for the work of a model. */
export const originComment = 'rendered locally (procedural, not an AI model)';
