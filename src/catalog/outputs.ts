/** Result keys that several families build from the outputs of a job. */

import type { JobState } from '../domain/job.ts';
import type { ResultView, SignedOutput } from './model.ts';

/** The words of the gamma family for a job; all its models but gamma-v3-turbo-t2v use them. */
const gammaStatus: Readonly<Record<JobState, 'submitted' | 'processing' | 'succeed' | 'failed'>> = {
  available: 'submitted',
  running: 'processing',
  completed: 'succeed',
  failed: 'failed',
  // The family has no word for it; `task_status_msg` says what happened.
  cancelled: 'failed',
};

/** Decisions 4, gamma: a task and, once it succeeded, what it gave. */
export function gammaTask<TaskResult>(view: ResultView<unknown>, taskResult: TaskResult) {
  return {
    task_id: view.jobId,
    task_status: gammaStatus[view.state],
    task_status_msg: view.error?.message ?? '',
    task_info: { external_task_id: view.externalTaskId ?? '' },
    ...(view.state === 'completed' && { task_result: taskResult }),
  };
}

/** The videos of a result in the words of the gamma family, each with its watermarked copy where there is one. */
export function videosOf({ outputs }: ResultView<unknown>) {
  return primaryOutputs(outputs).map(output => ({
    id: output.fileId,
    url: output.url,
    watermark_url: watermarkedUrlOf(outputs, output.index),
    // As text and in whole seconds: so the family's clients expect it.
    duration: String(Math.round(output.seconds ?? 0)),
  }));
}

/** The pictures of a result in the words of the gamma family. */
export function imagesOf({ outputs }: ResultView<unknown>) {
  return primaryOutputs(outputs).map(output => ({
    index: output.index,
    url: output.url,
    watermark_url: watermarkedUrlOf(outputs, output.index),
  }));
}

export const primaryOutputs = (outputs: readonly SignedOutput[]): readonly SignedOutput[] =>
  outputs.filter(output => output.role === 'primary');

/** Undefined, and so absent from JSON, where no copy was asked for. */
const watermarkedUrlOf = (outputs: readonly SignedOutput[], index: number): string | null | undefined =>
  outputs.find(output => output.role === 'watermarked' && output.index === index)?.url;
