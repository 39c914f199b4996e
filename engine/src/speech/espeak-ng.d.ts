/** Types of the members of espeak-ng that are used here; the package has none. */
declare module '@echogarden/espeak-ng-emscripten' {
  export interface EspeakEvent {
    readonly type: 'word' | 'sentence' | 'end' | 'phoneme' | 'samplerate' | 'mark' | 'play';
    /** Counts from 1, in code points of the given text with its entities. */
    readonly text_position: number;
    /** Milliseconds from the start of the utterance. */
    readonly audio_position: number;
    readonly word_length: number;
  }
  /** Text in UTF-8 with a zero byte behind it, by its place in the memory of the module. */
  export interface EspeakText {
    readonly ptr: number;
  }
  export interface EspeakWorker {
    get_samplerate(): number;
    set_voice(name: EspeakText): number;
    /** Words a minute; 175 is normal. */
    set_rate(rate: number): void;
    /** 0 to 99; 50 is normal. */
    set_pitch(pitch: number): void;
    /** 0 to 99; 50 is normal. */
    set_range(range: number): void;
    /** The callback gives true to stop. */
    synthesize(
      text: EspeakText,
      callback: (samples: Int16Array, events: readonly EspeakEvent[]) => boolean,
    ): void;
  }
  export interface EspeakModule {
    readonly eSpeakNGWorker: new () => EspeakWorker;
    /** All memory of the program; replaced when it grows. */
    readonly HEAPU8: Uint8Array;
    /** Gives the place of so many bytes. */
    _malloc(bytes: number): number;
    _free(ptr: number): void;
  }
  export default function load(): Promise<EspeakModule>;
}
