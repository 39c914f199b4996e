/** Helpers for FFmpeg (node-av) that several renderers share. */
import type { CodecContext } from 'node-av';
import type { EOFSignal } from 'node-av/constants';
import * as av from 'node-av/constants';

/**
 * Receiving from a codec or filter returns a frame or packet that the caller must free, null (it needs more input) or
 * a mark of the end. True for the first.
 */
export function isReceived<T extends { free(): void }>(received: T | EOFSignal | null): received is T {
  return typeof received === 'object' && received !== null && typeof received.free === 'function';
}

/** Use this instead of the options of `Encoder.create`: node-av frees those twice, which crashes some time later. */
export function setCodecOption(context: CodecContext, name: string, value: string): void {
  const code = context.setOption(name, value, av.AV_OPT_TYPE_STRING, av.AV_OPT_SEARCH_CHILDREN);
  if (code < 0) throw new Error(`expected the encoder to know ${name}, got code ${code}`);
}

/** Samples a second of all sound inside the engine, but for speech before it is mixed. */
export const soundRate = 48_000;
