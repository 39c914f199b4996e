/** A task as either of Kling's APIs reports it, read into one shape. */

import { z } from 'zod';
import type { ProducedFile } from '../../domain/provider.ts';
import type { Usage } from '../../domain/usage.ts';
import type { UpstreamError } from '../kit/error-table.ts';
import { memberAt, readList } from '../kit/lookup.ts';
import { lenient, readResults, resultUrl } from '../kit/read-success.ts';

/** A task of either API. */
export interface KlingTask {
  /** Absent where the answer does not repeat it. */
  readonly id?: string;
  readonly state: 'submitted' | 'processing' | 'succeeded' | 'failed';
  readonly message: string;
  readonly results: readonly { readonly url: string; readonly markedUrl: string }[];
  /** False where a result could not be read. */
  readonly isWhole: boolean;
  readonly usage: readonly Usage[];
}

/** Credits are written as text or as a number. */
const amount = z.coerce.number().nonnegative();
/** One result, in either API. */
const result = z.object({ url: resultUrl, watermark_url: lenient(z.string()), index: lenient(z.int()) });
const results = (value: unknown) => readResults(value, result);

/** A task of the classic API. */
const classic = z
  .object({
    task_id: lenient(z.string()),
    task_status: z.enum(['submitted', 'processing', 'succeed', 'failed']),
    task_status_msg: lenient(z.string()),
    task_result: z.unknown().optional(),
    final_unit_deduction: amount.nullish().catch(null),
  })
  .transform((task): KlingTask => {
    const videos = results(memberAt(task.task_result, 'videos'));
    const images = results(memberAt(task.task_result, 'images'));
    const inOrder = images.items.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
    return {
      ...(task.task_id !== undefined && { id: task.task_id }),
      state: task.task_status === 'succeed' ? 'succeeded' : task.task_status,
      message: task.task_status_msg ?? '',
      results: [...videos.items, ...inOrder].map(urlsOf),
      isWhole: videos.isWhole && images.isWhole,
      usage: creditsOf(task.final_unit_deduction == null ? [] : [task.final_unit_deduction]),
    };
  });

/** One line of the billing of API 2.0. */
const charge = z.object({ charge_type: z.string(), amount });

/** A task of API 2.0. */
const taskV2 = z
  .object({
    id: z.string(),
    status: z.enum(['submitted', 'processing', 'succeeded', 'failed']),
    message: lenient(z.string()),
    outputs: z.unknown().optional(),
    billing: z.unknown().optional(),
  })
  .transform(({ id, status, message, outputs, billing }): KlingTask => {
    const { items, isWhole } = results(outputs);
    // Charges in money are not credits.
    const charges = readResults(billing, charge).items.filter(line => line.charge_type === 'unit');
    return {
      id,
      state: status,
      message: message ?? '',
      results: items.map(urlsOf),
      isWhole,
      usage: creditsOf(charges.map(line => line.amount)),
    };
  });

/** Both addresses of one result; the second is empty where no watermark was requested. */
const urlsOf = ({ url, watermark_url: markedUrl = '' }: z.output<typeof result>) => ({ url, markedUrl });

/** The sum of the reported credits; nothing where none are reported. */
const creditsOf = (amounts: readonly number[]): readonly Usage[] =>
  amounts.length === 0
    ? []
    : [{ unit: 'credit', quantity: amounts.reduce((sum, each) => sum + each, 0), basis: 'reported' }];

const classicAnswer = z.object({ code: z.literal(0), data: classic });
const answerV2 = z.object({ code: z.literal(0), data: z.array(z.unknown()) });

/** The task in an answer of the classic API; undefined where it has none, or another. */
export function readClassic(json: unknown, id: string): KlingTask | undefined {
  const task = classicAnswer.safeParse(json).data?.data;
  return (task?.id ?? id) === id ? task : undefined;
}

/** The task of that id in an answer of API 2.0; null where the answer is a list without it. */
export function readV2(json: unknown, id: string): KlingTask | undefined | null {
  const list = answerV2.safeParse(json).data?.data;
  if (!list) return undefined;
  const named = list.find(task => z.object({ id: z.literal(id) }).safeParse(task).success);
  return named === undefined ? null : taskV2.safeParse(named).data;
}

/** A task of the classic API, with the name that its sender gave it. */
const namedTask = z.object({
  task_id: z.string().min(1),
  task_info: z.object({ external_task_id: z.string().nullish() }).nullish(),
});
/** The same in API 2.0. */
const namedTaskV2 = z.object({ id: z.string().min(1), external_id: z.string() });

/** The id of the task with our name; null where there is certainly none, undefined where it is unknown. */
export type FoundTaskId = string | null | undefined;

/** Reads the classic API's answer for one name; without such a task it answers with an error. */
export function findClassic(json: unknown, name: string): FoundTaskId {
  const task = namedTask.safeParse(memberAt(json, 'data')).data;
  return (task?.task_info?.external_task_id ?? name) === name ? task?.task_id : undefined;
}

/** Reads API 2.0's answer for one name. Only an empty list proves absence: a list of other tasks ignored the name. */
export function findV2(json: unknown, name: string): FoundTaskId {
  const list = memberAt(json, 'code') === 0 ? readList(memberAt(json, 'data'), namedTaskV2) : null;
  const ours = list?.items.find(task => task.external_id === name);
  if (ours) return ours.id;
  return list?.isWhole && list.items.length === 0 ? null : undefined;
}

/** Whether the classic API does not know a task. Its code also means a bad parameter, so the sentence decides. */
export const isTaskNotFound = (error: UpstreamError | null | undefined): boolean =>
  error?.code === '1201' && /not found/i.test(error.message);

/** Whether the name is used already. The code also means a bad parameter, so the sentence decides. */
export const isNameTaken = ({ message }: UpstreamError): boolean =>
  /external|duplicat|already|repeat|重复|已存在/i.test(message);

/** The files of a task: each original, and its watermarked copy where one was requested. */
export const filesOf = ({ results }: KlingTask, isMarkWanted: boolean): readonly ProducedFile[] =>
  results.flatMap(({ url, markedUrl }, index) => {
    const file = (role: 'primary' | 'watermarked', from: string): ProducedFile => ({
      role,
      index,
      mimeType: 'application/octet-stream',
      source: { kind: 'url', url: from },
    });
    return [
      file('primary', url),
      ...(isMarkWanted && markedUrl !== '' ? [file('watermarked', markedUrl)] : []),
    ];
  });
