/**
 * The bodies of the protocol, as they come: nothing is renamed. Times are Unix seconds. What users of a model's
 * family know beside these members is there, too, as `unknown`.
 */

import type {
  CreatedJob,
  ImageResult,
  QueuedStatus,
  RunningStatus,
  SpeechResult,
  VideoResult,
} from './generated/bodies.ts';

export type {
  Callback,
  CallbackContent,
  CompletedStatus,
  FailedResult,
  FileObject,
  ImageResult,
  JobError,
  JobStatus,
  ListedJob,
  LogLine,
  Metrics,
  ModelDescription,
  ModelSummary,
  QueuedStatus,
  ResultFile,
  RunningStatus,
  SpeechResult,
  Validation,
  VideoResult,
} from './generated/bodies.ts';

/** A job that was created; the answer of a creation and its model. */
export interface JobHandle<Model extends string = string> extends CreatedJob {
  readonly model: Model;
}

export type UnfinishedStatus = QueuedStatus | RunningStatus;

/** A result of a model that is not known here. */
export type AnyResult = VideoResult | ImageResult | SpeechResult;

/** A page of a list, the newest first unless the request orders otherwise. */
export interface Page<Item> {
  readonly object: 'list';
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  /** What `after` takes for the next page. */
  readonly last_id: string | null;
}

/** JSON Schema with hints for forms. */
export type JsonSchema = Readonly<Record<string, unknown>>;
