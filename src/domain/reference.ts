/** References of an input to earlier jobs of the same user and their outputs. */
import type { Output } from './job.ts';

/** A field that refers to an earlier job of the same user, or to an output of one. */
export interface Reference {
  /** `image`: an image of a job. `draft`: a completed draft. `video`: a video by its file id. */
  readonly kind: 'image' | 'draft' | 'video';
  readonly path: string;
  readonly id: string;
  /** Index of the image among those of the job, and the path of the field that names it. */
  readonly index?: { readonly path: string; readonly value: number };
  /** Whether it may be an id of an upstream that this gateway does not know. Absent: no. */
  readonly mayBeForeign?: true;
  /** Whether the job that was found may be referred to. Absent: every job. */
  readonly accepts?: (referred: ResolvedReference) => boolean;
}

/** What a reference resolved to. */
export interface ResolvedReference {
  readonly reference: Reference;
  readonly jobId: string;
  readonly modelId: string;
  /** The earlier job's own input. */
  readonly input: unknown;
  /** Number of images the job produced. */
  readonly images: number;
  /** The seed that was used, where the provider reported it. */
  readonly seed?: number;
  /** The image or video referred to; null where the job has none, and for a draft. */
  readonly output: Output | null;
}
