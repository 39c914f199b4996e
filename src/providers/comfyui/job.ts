/** A job as ComfyUI's job API reports it, and what it means here. */

import { z } from 'zod';
import type { PollResult, ProducedFile } from '../../domain/provider.ts';
import type { Usage } from '../../domain/usage.ts';
import { type ErrorTable, failureOf } from '../kit/error-table.ts';
import { fileAt, lenient, readResults, readSuccess } from '../kit/read-success.ts';
import { readJson, type UpstreamReply } from '../kit/upstream.ts';

/** A file that a node saved: `output` is a result, `temp` a preview. */
const file = z.object({
  filename: z.string(),
  subfolder: z
    .string()
    .nullish()
    .transform(folder => folder ?? ''),
  type: z.string(),
});
const members = z.record(z.string(), z.unknown());
const job = z.object({
  id: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled']),
  /** By node, then by a name of the node's choice such as `images`: each node is read by itself. */
  outputs: z.unknown().optional(),
  execution_error: lenient(
    z.object({ exception_type: lenient(z.string()), exception_message: lenient(z.string()) }),
  ),
  /** Epoch ms. */
  execution_start_time: lenient(z.number()),
  execution_end_time: lenient(z.number()),
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
export function resultOf(found: ComfyJob, answer: UpstreamReply, context: JobContext): PollResult {
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
      const { files, isWhole } = filesOf(found, context);
      const production = { files, usage, ...(seed !== undefined && { seed }) };
      return readSuccess(answer, { production, isWhole }, errors, noFile);
    }
  }
}

/** A workflow that saved nothing where the route expects files. */
const noFile = { code: null, message: 'the workflow ended without a file of its output nodes' };

/** Seconds of execution; the engine reports its times in epoch ms. */
function usageOf({ execution_start_time: start, execution_end_time: end }: ComfyJob): readonly Usage[] {
  if (!start || !end || end <= start) return [];
  return [{ unit: 'gpu_second', quantity: (end - start) / 1000, basis: 'reported' }];
}

/** The files that the output nodes saved, under any name; previews are not results. A node that saved nothing is null or absent. */
function filesOf({ outputs }: ComfyJob, { outputs: nodes, baseUrl }: JobContext): ProducedFiles {
  const byNode = readMembers(outputs);
  const reports = (nodes ?? Object.keys(byNode.values)).map(node => readMembers(byNode.values[node]));
  const items = reports.flatMap(({ values }) => Object.values(values)).flatMap(list => [list].flat());
  const saved = readResults(items.filter(isFile), file);
  const files = saved.items
    .filter(one => one.type === 'output' && isInside(one))
    .map((one, index) => fileAt(`${baseUrl}/view?${new URLSearchParams(one)}`, { index }));
  return { files, isWhole: saved.isWhole && byNode.isWhole && reports.every(report => report.isWhole) };
}

/** Whether a file lies in the folder of results: other names are never requested. */
const isInside = ({ filename, subfolder }: z.output<typeof file>): boolean =>
  /^[^/\\]+$/.test(filename) && !subfolder.includes('..');

/** What nodes report beside files, such as texts and flags, has no file name. */
const isFile = (item: unknown): boolean => typeof item === 'object' && item !== null && 'filename' in item;

interface ProducedFiles {
  readonly files: readonly ProducedFile[];
  /** False where a node or a file could not be read. */
  readonly isWhole: boolean;
}

/** The members of an object; none for null, and none of a value that is no object, which is then not whole. */
function readMembers(value: unknown) {
  const { data } = members.safeParse(value ?? {});
  return { values: data ?? {}, isWhole: data !== undefined };
}
