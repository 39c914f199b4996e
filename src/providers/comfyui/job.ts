/** A job as ComfyUI's job API reports it, and what it means here. */

import { z } from 'zod';
import type { Usage } from '../../domain/job.ts';
import type { PollResult, ProducedFile } from '../../domain/provider.ts';
import { type ErrorTable, failureOf } from '../kit/error-table.ts';
import { fileAt } from '../kit/read-success.ts';
import { readJson, type UpstreamReply } from '../kit/upstream.ts';

const file = z.object({
  filename: z.string().regex(/^[^/\\]+$/),
  subfolder: z
    .string()
    .regex(/^(?!.*\.\.)/)
    .default(''),
  type: z.string(),
});
const job = z.object({
  id: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled']),
  outputs: z.record(z.string(), z.record(z.string(), z.unknown())).nullish(),
  execution_error: z
    .object({ exception_type: z.string().nullish(), exception_message: z.string().nullish() })
    .nullish(),
  execution_start_time: z.number().nullish(),
  execution_end_time: z.number().nullish(),
});
/** A job as it was read. */
export type ComfyJob = z.output<typeof job>;

/** The job of that id in an answer; undefined for every other reply. */
export function jobIn(reply: UpstreamReply, id: string): ComfyJob | undefined {
  const found = readJson(reply, job);
  return found?.id === id ? found : undefined;
}

/** Where the results of a job are, and with which seed it was generated. */
export interface JobContext {
  readonly baseUrl: string;
  /** Nodes whose files are results; undefined: all of them. */
  readonly outputs: readonly string[] | undefined;
  readonly seed: number | undefined;
  readonly errors: ErrorTable;
}

/** What the state of a job means. */
export function resultOf(found: ComfyJob, context: JobContext): PollResult {
  const usage = usageOf(found);
  switch (found.status) {
    case 'pending':
    case 'in_progress':
      return { kind: 'running' };
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'failed': {
      const { exception_type: code, exception_message: message } = found.execution_error ?? {};
      const cause = { code: code ?? null, message: message ?? 'the workflow failed' };
      return { kind: 'failed', error: failureOf(cause, context.errors), usage };
    }
    case 'completed': {
      const { seed, errors } = context;
      const files = filesOf(found, context);
      if (files.length > 0)
        return { kind: 'succeeded', production: { files, usage, ...(seed !== undefined && { seed }) } };
      const cause = { code: null, message: 'the workflow ended without a file of its output nodes' };
      return { kind: 'failed', error: failureOf(cause, errors), usage };
    }
  }
}

/** Seconds of execution; the engine reports its times in epoch ms. */
function usageOf({ execution_start_time: start, execution_end_time: end }: ComfyJob): readonly Usage[] {
  if (!start || !end || end <= start) return [];
  return [{ unit: 'gpu_second', quantity: (end - start) / 1000, basis: 'reported' }];
}

/** The files that the output nodes saved, under any key; previews are not results. */
function filesOf({ outputs }: ComfyJob, { outputs: nodes, baseUrl }: JobContext): readonly ProducedFile[] {
  const listed = (nodes ?? Object.keys(outputs ?? {})).flatMap(node => Object.values(outputs?.[node] ?? {}));
  return listed
    .flatMap(list => (Array.isArray(list) ? list : []))
    .flatMap(one => file.safeParse(one).data ?? [])
    .filter(({ type }) => type === 'output')
    .map((one, index) => fileAt(`${baseUrl}/view?${new URLSearchParams(one)}`, { index }));
}
