/** Result keys that several families build from the outputs of a job. */

import type { JobState } from '../domain/job.ts';
import type { ResultView, SignedOutput } from './model.ts';

/** The states of a job in the gamma family; all its models but gamma-v3-turbo-t2v use them. */
const gammaStatus: Readonly<Record<JobState, 'submitted' | 'processing' | 'succeed' | 'failed'>> = {
  available: 'submitted',
  running: 'processing',
  completed: 'succeed',
  failed: 'failed',
  // The family has no such state; `task_status_msg` says what happened.
  cancelled: 'failed',
};

/** Decisions 4, gamma: a task and, once it succeeded, its result. */
export function gammaTask<TaskResult>(view: ResultView<unknown>, taskResult: TaskResult) {
  return {
    task_id: view.jobId,
    task_status: gammaStatus[view.state],
    task_status_msg: view.error?.message ?? '',
    task_info: { external_task_id: view.externalTaskId ?? '' },
    ...(view.state === 'completed' && { task_result: taskResult }),
  };
}

/** The videos of a result as the gamma family lists them, each with its watermarked copy where there is one. */
export function videosOf({ outputs }: ResultView<unknown>) {
  return primaryOutputs(outputs).map(output => ({
    id: output.fileId,
    url: output.url,
    watermark_url: watermarkedUrlOf(outputs, output.index),
    // A string of whole seconds, as the family's clients expect it.
    duration: String(Math.round(output.seconds ?? 0)),
  }));
}

/** The pictures of a result as the gamma family lists them. */
export function imagesOf({ outputs }: ResultView<unknown>) {
  return primaryOutputs(outputs).map(output => ({
    index: output.index,
    url: output.url,
    watermark_url: watermarkedUrlOf(outputs, output.index),
  }));
}

/** The outputs that are the result itself. */
export const primaryOutputs = (outputs: readonly SignedOutput[]): readonly SignedOutput[] =>
  outputs.filter(output => output.role === 'primary');

/** Undefined, and so absent from JSON, where no copy was requested. */
const watermarkedUrlOf = (outputs: readonly SignedOutput[], index: number): string | null | undefined =>
  outputs.find(output => output.role === 'watermarked' && output.index === index)?.url;
