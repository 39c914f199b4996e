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
  /** Pictures to draw, 1 to 160; each differs. */
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
  /** What an earlier picture is made into; without it the pictures are drawn from nothing. */
  readonly work?: PictureWork;
  /** Prompt parameters that change how it looks; `prompt`, `negativePrompt` and `seed` hold theirs already. */
  readonly parameters?: PromptParameters;
  /** Where the pictures show different things, or are of several jobs: picture n shows the n-th, and the first again after the last. */
  readonly variants?: readonly Pick<ImagePlan, 'prompt' | 'negativePrompt' | 'parameters'>[];
  /** The names of all parameters that the prompt has, `--` with them, in small letters. */
  readonly parameterNames?: readonly string[];
  /** Also the first four pictures together in one (role `grid`). */
  readonly grid?: true;
  /** `copy`: a second, marked picture beside each clean one. `burned`: the mark is in the picture itself. */
  readonly watermark: 'none' | 'burned' | 'copy';
}

/** A box in pixels, from the top left corner of what holds it. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type PictureWork =
  /** The picture placed on the canvas (the plan's size); repainted inside the mask and outside the picture, else kept to the pixel. */
  | {
      readonly kind: 'repaint';
      readonly media: string;
      readonly place: Box;
      readonly mask: PictureMask | null;
    }
  /** The picture in the middle of a larger one (the plan's size), its border continued. */
  | { readonly kind: 'extend'; readonly media: string }
  /** The picture at the plan's size: resampled, or with details of its own. */
  | { readonly kind: 'upscale'; readonly media: string; readonly creative: boolean };

export type PictureMask =
  /** Polygons x, y, x, y, … in pixels of a picture of that size. */
  | {
      readonly kind: 'areas';
      readonly areas: readonly {
        readonly width: number;
        readonly height: number;
        readonly points: readonly number[];
      }[];
    }
  /** A black and white picture; white is repainted. */
  | { readonly kind: 'picture'; readonly media: string };

/** A visible mark. Without `media` it is the standard text. */
export interface Mark {
  readonly corner: 'top_left' | 'top_right' | 'bottom_right' | 'bottom_left';
  readonly media?: string;
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
  /** false: no audio stream at all, unless there is music. */
  readonly sound: boolean;
  /** What the composed sound holds; all of it where it says nothing. */
  readonly soundKind?: 'all' | 'speech' | 'effects';
  /** 1: the composed sound has one channel; as the engine likes where it says nothing. */
  readonly soundChannels?: 1;
  /** The voice of its speech, stable by name; one that fits where it says nothing. */
  readonly voice?: string;
  /** Composed music under the sound, or as the only one where `sound` is false. */
  readonly music?: boolean;
  /** A sound that takes the place of the composed one. */
  readonly guideAudio?: { readonly media: string };
  /** Frame 0, exactly. */
  readonly firstFrame?: { readonly media: string };
  /** The last frame, exactly. */
  readonly lastFrame?: { readonly media: string };
  /** A video that this one is made from. */
  readonly source?: VideoSource;
  /** Pictures, videos and sounds that must show in the result. */
  readonly references?: readonly { readonly kind: 'image' | 'video' | 'audio'; readonly media: string }[];
  /** The camera stands still. */
  readonly fixedCamera?: boolean;
  /** Also the last frame as a PNG without a mark (role `last_frame`). */
  readonly returnLastFrame?: boolean;
  /** Also a good frame of it as a JPEG (role `cover`). */
  readonly cover?: boolean;
  /** A quick preview: fewer details. */
  readonly draft?: boolean;
  /** JSON text kept in the metadata of the file itself. */
  readonly metadata?: string;
  /** Where there is none: a label that names this gateway and the job stands there. */
  readonly defaultLabel?: true;
  /** How the mark looks, where there is one; in the lower right corner where it says nothing. */
  readonly mark?: Mark;
  /** `copy`: a second, marked video beside the clean one. `burned`: the mark is in the video itself. */
  readonly watermark: 'none' | 'burned' | 'copy';
}

export type VideoSource =
  /** Goes on from its last frame; its sound has ended there. */
  | { readonly media: string; readonly use: 'extend' }
  | {
      readonly media: string;
      /** `edit`: its frames, changed. `motion`: its movement drives the first frame. `feature`: its look. */
      readonly use: 'edit' | 'motion' | 'feature';
      /** Its own sound in the result, from its beginning. */
      readonly keepSound: boolean;
      /** `motion` only: whether the figure keeps facing as in the first frame, or turns as in the source. */
      readonly facing?: 'frame' | 'source';
    };

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

/** Contract 2.4: what stands after `--`, by meaning; absent where the prompt does not say, or nothing can be read of it. */
export interface PromptParameters {
  readonly aspectRatio?: { readonly across: number; readonly down: number };
  readonly version?: string;
  readonly imageWeight?: number;
  readonly draft?: true;
  /** What must not be seen. */
  readonly no?: readonly string[];
  readonly quality?: number;
  readonly repeat?: number;
  readonly seed?: number;
  /** Percent of the way at which drawing stops. */
  readonly stop?: number;
  readonly speed?: 'relax' | 'fast' | 'turbo';
  readonly stylize?: number;
  readonly chaos?: number;
  readonly weird?: number;
  readonly style?: string;
  readonly exp?: number;
  readonly tile?: true;
  /** Each an image URL, the digits of a style code, or `random`. No URL in a prompt is ever fetched. */
  readonly styleReferences?: readonly { readonly source: string; readonly weight: number }[];
  readonly styleWeight?: number;
  readonly styleVersion?: number;
  readonly characterReferences?: readonly string[];
  readonly characterWeight?: number;
  readonly omniReference?: string;
  readonly omniWeight?: number;
}
