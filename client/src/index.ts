/** The public API of atelier-client. */

export type {
  AnyResult,
  Callback,
  CallbackContent,
  CompletedStatus,
  FailedResult,
  FileObject,
  ImageResult,
  JobError,
  JobHandle,
  JobStatus,
  JsonSchema,
  ListedJob,
  LogLine,
  Metrics,
  ModelDescription,
  ModelSummary,
  Page,
  QueuedStatus,
  ResultFile,
  RunningStatus,
  SpeechResult,
  UnfinishedStatus,
  Validation,
  VideoResult,
} from './bodies.ts';
export type { CallbackEvent, CallbackHeaders } from './callbacks.ts';
export { CallbackError } from './callbacks.ts';
export { type Client, createClient } from './create-client.ts';
// A star, because only that lets a written file add to the interface.
export * from './custom-models.ts';
export type { Models } from './descriptions.ts';
export {
  AuthError,
  type ErrorKind,
  GatewayError,
  type Issue,
  JobFailedError,
  NotFoundError,
  NotReadyError,
  PermissionError,
  RateLimitError,
  ValidationError,
} from './errors.ts';
export type { CallOptions, ClientOptions } from './exchange.ts';
export type { FileListOptions, FileSource, Files, UploadOptions } from './files.ts';
export type * from './generated/inputs.ts';
export type { ModelMap } from './generated/model-map.ts';
export type { JobFilters, JobRecord, Jobs } from './jobs.ts';
export type { CallbackFilters, Callbacks } from './own-callbacks.ts';
export type {
  InputOf,
  JobRef,
  ListOptions,
  ModelId,
  Named,
  Poll,
  Queue,
  ResultOf,
  SubmitOptions,
  WatchOptions,
} from './queue.ts';
export type { Finished, SubscribeOptions } from './subscribe.ts';
export type { StatusOptions } from './watch-job.ts';
