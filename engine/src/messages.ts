import type { MediaFacts } from '../../src/domain/media.ts';
import type { RenderPlan } from './render-plan.ts';

/** What a render needs to know; crosses to the child as it is. */
export interface RenderTask {
  readonly plan: RenderPlan;
  /** 32-bit seed really used: plan.seed, or one the caller drew. Same plan and same seed give the same bytes. */
  readonly seed: number;
  /** An existing, empty directory; the outputs are written into it. */
  readonly directory: string;
  /** Media reference of the plan → local file, already probed by the caller. */
  readonly inputs: Readonly<Record<string, string>>;
  /** The render is killed this many milliseconds after its child started. */
  readonly timeoutMs: number;
}

export interface RenderedOutput {
  readonly role: 'primary' | 'watermarked' | 'last_frame' | 'grid' | 'cover' | 'subtitle';
  /** Counts from 0 within its role. */
  readonly index: number;
  /** Absolute path inside the task's directory. */
  readonly path: string;
  readonly mimeType: string;
}

export interface RenderResult {
  readonly outputs: readonly RenderedOutput[];
  readonly seed: number;
  /** Real bits per second of an mp3; absent for everything else. */
  readonly bitrate?: number;
  /** Words spoken (each Han or kana character counts as one); speech only. */
  readonly words?: number;
}

/** `try` encodes two frames to see whether the optional libraries are here. */
export type ToChild =
  | { readonly kind: 'start'; readonly task: RenderTask }
  | { readonly kind: 'probe'; readonly path: string }
  | { readonly kind: 'try' };

export type FromChild =
  | { readonly kind: 'progress'; readonly fraction: number }
  | { readonly kind: 'rendered'; readonly rendered: RenderResult }
  | { readonly kind: 'probed'; readonly video: NonNullable<MediaFacts['video']> }
  | { readonly kind: 'usable' }
  | { readonly kind: 'failed'; readonly message: string };

/** What a room of the child works with. */
export interface RenderContext {
  readonly seed: number;
  /** Absolute path for an output of this name. */
  outputPath(name: string): string;
  /** The local file of a media reference; throws when the caller gave none. */
  inputPath(media: string): string;
  /** 0 to 1. */
  progress(fraction: number): void;
  /** Lets progress out and, now and then, collects garbage. Call it once a frame or sentence. */
  yieldToEventLoop(): Promise<void>;
}

/** Both ends are this very code, so the tag is enough to tell the messages apart. */
export const isToChild = (message: unknown): message is ToChild =>
  hasKind(message) && ['start', 'probe', 'try'].includes(message.kind);

export const isFromChild = (message: unknown): message is FromChild =>
  hasKind(message) && ['progress', 'rendered', 'probed', 'usable', 'failed'].includes(message.kind);

function hasKind(message: unknown): message is { readonly kind: string } {
  return (
    typeof message === 'object' && message !== null && 'kind' in message && typeof message.kind === 'string'
  );
}
