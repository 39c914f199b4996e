/** The render plan: plain data that describes a result, made by the catalog and drawn by the engine. */

/**
 * What to render. A `media` member is a media reference as written in the input of the job; the caller passes the
 * local file for it in `RenderTask.inputs`.
 */
export type RenderPlan = ImagePlan | VideoPlan | SpeechPlan;

/** One or more PNG pictures. */
export interface ImagePlan {
  readonly kind: 'image';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Number of pictures, 1 to 160; each differs. */
  readonly count: number;
  /** Words of the user, without prompt parameters. */
  readonly prompt: string;
  /** Words for things that must not be drawn. */
  readonly negativePrompt?: string;
  /** null: the engine draws a seed and reports it. */
  readonly seed: number | null;
  /** Pictures that must be visible in the result. */
  readonly references: readonly {
    readonly use: 'base' | 'subject' | 'style' | 'scene';
    readonly media: string;
  }[];
  /** An edit of an existing picture; absent: the pictures are drawn from the prompt alone. */
  readonly work?: PictureWork;
  /** Prompt parameters that change how it looks; `prompt`, `negativePrompt` and `seed` contain theirs already. */
  readonly parameters?: PromptParameters;
  /** Prompts of the pictures where they differ: picture n uses entry n, cyclically. */
  readonly variants?: readonly Pick<ImagePlan, 'prompt' | 'negativePrompt' | 'parameters'>[];
  /** Names of all parameters in the prompt, with `--`, in lower case. */
  readonly parameterNames?: readonly string[];
  /** Adds the first four pictures in one (role `grid`). */
  readonly grid?: true;
  /** `copy`: a second, marked picture beside each clean one. `burned`: the mark is in the picture itself. */
  readonly watermark: 'none' | 'burned' | 'copy';
}

/** A box in pixels, from the top left corner of its canvas. */
export interface Box {
  /** May be negative, or reach beyond the canvas. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An edit of an existing picture. */
export type PictureWork =
  /**
   * The picture is placed on the canvas (the plan's size) and repainted inside the mask and outside its box; every
   * other pixel is kept.
   */
  | {
      readonly kind: 'repaint';
      readonly media: string;
      readonly place: Box;
      readonly mask: PictureMask | null;
    }
  /** The picture is centred in a larger one (the plan's size) and its border continued. */
  | { readonly kind: 'extend'; readonly media: string }
  /** The picture is resampled to the plan's size; `creative` adds detail. */
  | { readonly kind: 'upscale'; readonly media: string; readonly creative: boolean };

/** The part of a picture to repaint. */
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
  /** A picture as the mark. */
  readonly media?: string;
}

/** One mp4 video, optionally with sound. */
export interface VideoPlan {
  readonly kind: 'video';
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  /** Frames a second, such as 24 or 29.97. */
  readonly fps: number;
  /** In order; the sum of their seconds is the length of the video. */
  readonly shots: readonly { readonly seconds: number; readonly prompt: string }[];
  /** Words for things that must not be drawn. */
  readonly negativePrompt?: string;
  /** null: the caller draws a seed and reports it. */
  readonly seed: number | null;
  /** false: no audio stream at all, unless there is music. */
  readonly sound: boolean;
  /** Which parts the composed sound has; absent: all. */
  readonly soundKind?: 'all' | 'speech' | 'effects';
  /** 1: the composed sound has one channel; absent: two. */
  readonly soundChannels?: 1;
  /** Voice id of its speech; absent: one chosen by the prompt. */
  readonly voice?: string;
  /** Composed music under the sound, or as the only one where `sound` is false. */
  readonly music?: boolean;
  /** A sound that replaces the composed one. */
  readonly guideAudio?: { readonly media: string };
  /** Picture that is frame 0, pixel by pixel. */
  readonly firstFrame?: { readonly media: string };
  /** Picture that is the last frame, pixel by pixel. */
  readonly lastFrame?: { readonly media: string };
  /** A video that this one is derived from. */
  readonly source?: VideoSource;
  /** Pictures, videos and sounds that must appear in the result. */
  readonly references?: readonly { readonly kind: 'image' | 'video' | 'audio'; readonly media: string }[];
  /** The camera stands still. */
  readonly fixedCamera?: boolean;
  /** Adds the last frame as a PNG without a mark (role `last_frame`). */
  readonly returnLastFrame?: boolean;
  /** Adds a frame of it as a JPEG (role `cover`). */
  readonly cover?: boolean;
  /** A quick preview: fewer details. */
  readonly draft?: boolean;
  /** JSON text stored in the metadata of the file. */
  readonly metadata?: string;
  /** Without `metadata`: the caller stores a label with the gateway and the job there. */
  readonly defaultLabel?: true;
  /** How a visible mark looks; absent: the standard text in the lower right corner. */
  readonly mark?: Mark;
  /** `copy`: a second, marked video beside the clean one. `burned`: the mark is in the video itself. */
  readonly watermark: 'none' | 'burned' | 'copy';
}

/** How a source video is used. */
export type VideoSource =
  /** The result continues from its last frame; its sound is not reused. */
  | { readonly media: string; readonly use: 'extend' }
  | {
      readonly media: string;
      /** `edit`: its frames, changed. `motion`: its movement drives the first frame. `feature`: its look. */
      readonly use: 'edit' | 'motion' | 'feature';
      /** Its sound is the sound of the result, from its beginning. */
      readonly keepSound: boolean;
      /** `motion` only: whether the figure keeps facing as in the first frame, or turns as in the source. */
      readonly facing?: 'frame' | 'source';
    };

/** One sound file of spoken text. */
export interface SpeechPlan {
  readonly kind: 'speech';
  /** Texts and pauses, in order. */
  readonly pieces: readonly ({ readonly text: string } | { readonly pauseMs: number })[];
  /** A word of C2 2.15 `language_boost`; null: by the script of the text. */
  readonly language: string | null;
  /** Voice ids and their share of the timbre; stable by name. */
  readonly voices: readonly { readonly id: string; readonly weight: number }[];
  /** 1 = as the voice speaks. */
  readonly speed: number;
  /** 1 = as the voice speaks, 0 = silence. */
  readonly volume: number;
  /** Shift of the voice; 0 = none. */
  readonly pitchSemitones: number;
  /** Changes speed, pitch and loudness; null: neutral. */
  readonly emotion: 'happy' | 'sad' | 'angry' | 'fearful' | 'disgusted' | 'surprised' | 'calm' | null;
  readonly format: 'mp3' | 'pcm' | 'flac' | 'wav';
  /** Samples a second of the file. */
  readonly sampleRate: number;
  /** Both channels have the same sound. */
  readonly channels: 1 | 2;
  /** Bits per second; mp3 only. */
  readonly bitrate: number;
  /** mp3 only: every frame has the same size. */
  readonly constantBitrate: boolean;
  /** Each -100 to 100. */
  readonly modify: {
    readonly pitch: number;
    readonly intensity: number;
    readonly timbre: number;
    readonly effect: 'spacious_echo' | 'auditorium_echo' | 'lofi_telephone' | 'robotic' | null;
  };
  /** Replacements for the pronunciation of words. */
  readonly pronunciations: readonly { readonly source: string; readonly replacement: string }[];
  /** Adds a rhythm at the end that marks the sound as generated. */
  readonly marker: boolean;
  /** Adds a JSON file of subtitles (role `subtitle`). */
  readonly subtitles: 'none' | 'sentence' | 'word';
}

/** Contract 2.4: the parameters after `--` of a prompt, by meaning; absent where the prompt has none that can be read. */
export interface PromptParameters {
  /** `--ar` 16:9 is across 16, down 9. */
  readonly aspectRatio?: { readonly across: number; readonly down: number };
  readonly version?: string;
  /** Weight of the reference pictures. */
  readonly imageWeight?: number;
  /** A quick picture with fewer details. */
  readonly draft?: true;
  /** Things that must not be drawn. */
  readonly no?: readonly string[];
  /** Rendering effort; read, without effect on the drawing. */
  readonly quality?: number;
  /** Number of jobs that the prompt makes. */
  readonly repeat?: number;
  readonly seed?: number;
  /** Percent of the way at which drawing stops. */
  readonly stop?: number;
  readonly speed?: 'relax' | 'fast' | 'turbo';
  /** 0 to 1000; 100 is the default look. */
  readonly stylize?: number;
  /** 0 to 100: how far the pictures differ from the prompt. */
  readonly chaos?: number;
  /** 0 to 3000: unusual looks. */
  readonly weird?: number;
  /** `raw` is plainer. */
  readonly style?: string;
  readonly exp?: number;
  /** The picture continues at its opposite edges. */
  readonly tile?: true;
  /** Each an image URL, the digits of a style code, or `random`. No URL in a prompt is ever fetched. */
  readonly styleReferences?: readonly { readonly source: string; readonly weight: number }[];
  /** 0 to 1000: influence of the style references. */
  readonly styleWeight?: number;
  readonly styleVersion?: number;
  /** Image URLs of a character that is kept. */
  readonly characterReferences?: readonly string[];
  /** 0 to 100. */
  readonly characterWeight?: number;
  /** Image URL of an object that is kept. */
  readonly omniReference?: string;
  /** 1 to 1000. */
  readonly omniWeight?: number;
}
