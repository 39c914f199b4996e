/** Messages between the engine and its child processes, and what a renderer of the child works with. */
import type { RenderPlan } from './render-plan.ts';

/** Everything that a render needs; sent to the child as it is. */
export interface RenderTask {
  /** What to render. */
  readonly plan: RenderPlan;
  /** 32-bit seed in use: plan.seed, or one the caller drew. Same plan and same seed give the same bytes. */
  readonly seed: number;
  /** An existing, empty directory; the outputs are written into it. */
  readonly directory: string;
  /** Media reference of the plan → local file, already probed by the caller. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The render is killed this many milliseconds after its child started. */
  readonly timeoutMs: number;
}

/** One file of a result. */
export interface RenderedOutput {
  /** `primary` is the result itself; the others are extra files that the plan requests. */
  readonly role: 'primary' | 'watermarked' | 'last_frame' | 'grid' | 'cover' | 'subtitle';
  /** Counts from 0 within its role. */
  readonly index: number;
  /** Absolute path inside the task's directory. */
  readonly path: string;
  /** Type of the file, such as `video/mp4`. */
  readonly mimeType: string;
}

/** What a finished render reports. */
export interface RenderResult {
  /** Primary outputs first, in order. */
  readonly outputs: readonly RenderedOutput[];
  /** The seed in use, also where the plan has none. */
  readonly seed: number;
  /** Bits per second that an mp3 has; absent for everything else. */
  readonly bitrate?: number;
  /** Words spoken (each Han or kana character counts as one); speech only. */
  readonly words?: number;
}

/** What FFmpeg reads of a video file: pixels as displayed, seconds, frames per second. */
export interface VideoFacts {
  /** Pixels as displayed: a rotated video has its sides exchanged. */
  readonly width: number;
  readonly height: number;
  /** Length, rounded to milliseconds. */
  readonly seconds: number;
  /** Average frames a second. */
  readonly fps: number;
  /** FFmpeg's number of the codec, as text. */
  readonly codec: string;
}

/** To a child, one at a time. `check` encodes two frames to see whether the optional libraries work. */
export type ToChild =
  | { readonly kind: 'start'; readonly task: RenderTask }
  | { readonly kind: 'probe'; readonly path: string }
  | { readonly kind: 'check' }
  | { readonly kind: 'exit' };

/** From a child; the first is `started`, and every kind but that and `progress` is the last of its run. */
export type FromChild =
  | { readonly kind: 'started' }
  | { readonly kind: 'progress'; readonly fraction: number }
  /** `memoryBytes`: what the child occupies afterwards. */
  | { readonly kind: 'rendered'; readonly rendered: RenderResult; readonly memoryBytes: number }
  | { readonly kind: 'probed'; readonly video: VideoFacts }
  | { readonly kind: 'usable'; readonly memoryBytes: number }
  | { readonly kind: 'failed'; readonly message: string };

/** What a renderer of the child process works with. */
export interface RenderContext {
  /** 32-bit seed of the task. */
  readonly seed: number;
  /** Absolute path for an output of this name. */
  outputPath(name: string): string;
  /** The local file of a media reference; throws when the caller gave none. */
  inputPath(media: string): string;
  /** 0 to 1. */
  progress(fraction: number): void;
  /** Lets progress messages out and, every few calls, collects garbage. Call it once a frame or sentence. */
  yieldToEventLoop(): Promise<void>;
}

/** Both ends run this code, so the tag is enough to distinguish the messages. */
export const isToChild = (message: unknown): message is ToChild =>
  hasKind(message) && ['start', 'probe', 'check', 'exit'].includes(message.kind);

export const isFromChild = (message: unknown): message is FromChild =>
  hasKind(message) &&
  ['started', 'progress', 'rendered', 'probed', 'usable', 'failed'].includes(message.kind);

/** Any object with a text member `kind`. */
function hasKind(message: unknown): message is { readonly kind: string } {
  return (
    typeof message === 'object' && message !== null && 'kind' in message && typeof message.kind === 'string'
  );
}
