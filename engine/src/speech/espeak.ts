/** espeak-ng for one plan after the other: one instance a process, whose memory is set back between two plans. */
import type { EspeakEvent, EspeakModule, EspeakText, EspeakWorker } from '@echogarden/espeak-ng-emscripten';

/** What is spoken, and how. */
export interface SpokenText {
  /** With marks that espeak-ng reads, and entities. */
  readonly markup: string;
  /** A voice and its variant, as `en-us+f3`. */
  readonly voice: string;
  /** Words a minute; 175 is normal. */
  readonly rate: number;
  /** 0 to 99; 50 is normal. */
  readonly pitch: number;
  readonly range: number;
}

/** Gives the samples (16 bits) piece by piece, with the words that begin in them. */
export type Speak = (
  text: SpokenText,
  onSpoken: (samples: Int16Array, events: readonly EspeakEvent[]) => void,
) => void;

/** An instance, and what its memory held after its start. */
interface Instance {
  readonly module: EspeakModule;
  readonly worker: EspeakWorker;
  readonly memory: Uint8Array;
}

/** A page of memory that was never written. */
const emptyPage = Buffer.alloc(65_536);

/** Its start takes longer than a sentence, and its code is slow until it has run for a while. */
let instance: Promise<Instance> | undefined;
/** Counts the plans: only the last one may use the memory that all share. */
let plans = 0;

/**
 * For one plan; the one opened before must not be used any more. A used instance speaks slightly differently, and bytes
 * must repeat: so each plan finds the memory that a new one has.
 */
export async function openEspeak(): Promise<Speak> {
  instance ??= startInstance();
  const { module, worker, memory } = await instance;
  const heap = module.HEAPU8;
  heap.fill(0, memory.length, usedBytes(heap)).set(memory);
  plans += 1;
  const plan = plans;
  return ({ markup, voice, rate, pitch, range }, onSpoken) => {
    if (plan !== plans) throw new Error('expected one plan at a time to use espeak-ng');
    withText(module, voice, name => worker.set_voice(name));
    worker.set_rate(rate);
    worker.set_pitch(pitch);
    worker.set_range(range);
    withText(module, markup, text =>
      worker.synthesize(text, (samples, events) => {
        onSpoken(samples, events);
        return false;
      }),
    );
  };
}

/** Throws where the package is missing or cut short. It is pure JavaScript: where it loads, it works. */
export async function checkEspeak(): Promise<void> {
  await import('@echogarden/espeak-ng-emscripten');
}

async function startInstance(): Promise<Instance> {
  const { default: load } = await import('@echogarden/espeak-ng-emscripten');
  const module = await load();
  const worker = withFrozenClock(() => new module.eSpeakNGWorker());
  // The first call with a text allocates a buffer that the bindings know by its address: it belongs to the start.
  withText(module, 'en', text => worker.set_voice(text));
  const heap = module.HEAPU8;
  return { module, worker, memory: heap.slice(0, usedBytes(heap)) };
}

/** espeak-ng takes its random seed from the clock when it starts; a frozen clock makes its output repeatable. */
function withFrozenClock<T>(start: () => T): T {
  const { now } = Date;
  Date.now = () => 0;
  try {
    return start();
  } finally {
    Date.now = now;
  }
}

/** Bytes up to the last page that was written: about one of sixteen megabytes after the start. */
function usedBytes(heap: Uint8Array): number {
  let end = heap.length;
  while (end > 0 && emptyPage.equals(heap.subarray(end - emptyPage.length, end))) end -= emptyPage.length;
  return end;
}

/** Allocates the text for one call. Of a string, the bindings would keep the address beyond the plan. */
function withText(module: EspeakModule, text: string, use: (text: EspeakText) => void): void {
  const bytes = Buffer.from(`${text}\0`);
  const ptr = module._malloc(bytes.length);
  module.HEAPU8.set(bytes, ptr);
  use({ ptr });
  module._free(ptr);
}
