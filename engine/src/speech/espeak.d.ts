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
  export interface EspeakWorker {
    get_samplerate(): number;
    set_voice(name: string): number;
    /** Words a minute; 175 is normal. */
    set_rate(rate: number): void;
    /** 0 to 99; 50 is normal. */
    set_pitch(pitch: number): void;
    /** 0 to 99; 50 is normal. */
    set_range(range: number): void;
    /** The callback gives true to stop. */
    synthesize(
      text: string,
      callback: (samples: Int16Array, events: readonly EspeakEvent[]) => boolean,
    ): void;
  }
  export default function load(): Promise<{ readonly eSpeakNGWorker: new () => EspeakWorker }>;
}
