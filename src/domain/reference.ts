import type { Output } from './job.ts';

/** A field that points at an earlier job of the same user, or at something such a job made. */
export interface Reference {
  /** `image`: a picture of a job. `draft`: a finished draft. `video`: a video by its own id. */
  readonly kind: 'image' | 'draft' | 'video';
  readonly path: string;
  readonly id: string;
  /** Which picture of the job, and the field that says so. */
  readonly index?: { readonly path: string; readonly value: number };
  /** Whether it may name what an upstream knows and this gateway does not; never where it says nothing. */
  readonly mayBeForeign?: true;
  /** Whether the job that was found is one of those that are meant; every one where it says nothing. */
  readonly accepts?: (referred: ResolvedReference) => boolean;
}

/** What a reference led to. */
export interface ResolvedReference {
  readonly reference: Reference;
  readonly jobId: string;
  readonly modelId: string;
  /** The earlier job's own input. */
  readonly input: unknown;
  /** Pictures that the job made. */
  readonly images: number;
  /** The seed that it was really drawn with, where the provider said. */
  readonly seed?: number;
  /** The picture or video that is meant; null where the job made no such thing, and for a draft. */
  readonly output: Output | null;
}
