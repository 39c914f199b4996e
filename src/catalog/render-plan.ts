/**
 * How to draw a result locally: plain data that a model file returns and `src/render` draws.
 * A `media` member is a media reference as it stands in the input; the engine is given the local file for it.
 */
export type RenderPlan = ImagePlan | VideoPlan | SpeechPlan;

export interface ImagePlan {
  readonly kind: 'image';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Pictures to draw, 1 to 40; each differs. */
  readonly count: number;
  readonly prompt: string;
  readonly negativePrompt?: string;
  /** null: the engine draws a seed and reports it. */
  readonly seed: number | null;
  /** Pictures that must be visible in the result. */
  readonly references: readonly {
    readonly use: 'base' | 'subject' | 'style' | 'scene';
    readonly media: string;
  }[];
  /** `copy`: a second, marked picture beside each clean one. `burned`: the mark is in the picture itself. */
  readonly watermark: 'none' | 'burned' | 'copy';
}

export interface VideoPlan {
  readonly kind: 'video';
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** In order; their seconds add up to the length of the video. */
  readonly shots: readonly { readonly seconds: number; readonly prompt: string }[];
  readonly negativePrompt?: string;
  readonly seed: number | null;
  /** false: no audio stream at all. */
  readonly sound: boolean;
  /** A sound that takes the place of the composed one. */
  readonly guideAudio?: { readonly media: string };
  /** `copy`: a second, marked video beside the clean one. `burned`: the mark is in the video itself. */
  readonly watermark: 'none' | 'burned' | 'copy';
}

export interface SpeechPlan {
  readonly kind: 'speech';
  /** What is said and how long is paused, in order. */
  readonly pieces: readonly ({ readonly text: string } | { readonly pauseMs: number })[];
  /** A word of C2 2.15 `language_boost`; null: by the script of the text. */
  readonly language: string | null;
  /** Voice ids and their share of the timbre; stable by name. */
  readonly voices: readonly { readonly id: string; readonly weight: number }[];
  /** 1 = as the voice speaks. */
  readonly speed: number;
  /** 1 = as the voice speaks, 0 = silence. */
  readonly volume: number;
  readonly pitchSemitones: number;
  readonly emotion: 'happy' | 'sad' | 'angry' | 'fearful' | 'disgusted' | 'surprised' | 'calm' | null;
  readonly format: 'mp3' | 'pcm' | 'flac' | 'wav';
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** Bits per second; mp3 only. */
  readonly bitrate: number;
  readonly constantBitrate: boolean;
  /** Each -100 to 100. */
  readonly modify: {
    readonly pitch: number;
    readonly intensity: number;
    readonly timbre: number;
    readonly effect: 'spacious_echo' | 'auditorium_echo' | 'lofi_telephone' | 'robotic' | null;
  };
  /** How words are to be said instead. */
  readonly pronunciations: readonly { readonly source: string; readonly replacement: string }[];
  /** A rhythm marker at the end. */
  readonly marker: boolean;
  readonly subtitles: 'none' | 'sentence' | 'word';
}
