/** `atelier jobs`, `job`, `watch`, `result` and `cancel`: reads and cancels jobs of the user. */
import type { Command } from 'commander';
import type { JobStatus, ListedJob } from '../../../client/src/index.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { readDuration } from '../read-duration.ts';
import { withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, type CommandContext, openCommandContext } from './command-context.ts';
import { alignColumns } from './command-output.ts';
import { openInterrupts } from './interrupts.ts';
import { printJobResult } from './run.ts';
import { statusText } from './wait-for-job.ts';

/** Adds the commands for existing jobs. */
export function registerJobs(program: Command): void {
  withClientOptions(program.command('jobs'))
    .description('list your jobs, newest first')
    .option('--status <status>', 'IN_QUEUE, IN_PROGRESS or COMPLETED')
    .option('--model <id>', 'only jobs of this model')
    .option('--task <id>', 'only the job with this external_task_id')
    .option('--since <time>', 'created in the last 2h, or since 2026-05-21T07:30Z')
    .option('--limit <count>', 'maximum number of jobs, up to 100', '20')
    .option('--after <request_id>', 'only jobs older than this one')
    .action(jobsCommand);
  withClientOptions(program.command('job'))
    .description('show the status and input of a job')
    .argument('<request_id>')
    .option('--events', 'also show its timeline')
    .action(jobCommand);
  withClientOptions(program.command('watch'))
    .description('print every status change of jobs until they end')
    .argument('<request_id...>')
    .option('--exit-status', 'exit with 2 when one of them failed')
    .action(watchCommand);
  withClientOptions(program.command('result'))
    .description('print the result of a job that has ended')
    .argument('<request_id>')
    .option('--save [folder]', 'download its files, here or into a folder (--save=FOLDER)')
    .action(resultCommand);
  withClientOptions(program.command('cancel'))
    .description('cancel jobs; running ones are asked to stop')
    .argument('<request_id...>')
    .action(cancelCommand);
}

/** Filters of `jobs`, as written. */
interface JobsOptions extends ClientCommandOptions {
  readonly status?: string;
  readonly model?: string;
  readonly task?: string;
  /** A duration or a time. */
  readonly since?: string;
  readonly limit: string;
  /** Id of the last job of the page before. */
  readonly after?: string;
}

/** The public statuses. */
const statuses: readonly JobStatus['status'][] = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'];

/** Options are validated before a gateway is called. */
async function jobsCommand(options: JobsOptions): Promise<void> {
  const { model, task, since, limit, after } = options;
  const filters = {
    model,
    externalTaskId: task,
    status: options.status === undefined ? undefined : readStatus(options.status),
    since: since === undefined ? undefined : readSince(since),
    limit: readLimit(limit),
    after,
  };
  const { client, output } = await openCommandContext(options);
  const page = await client.jobs.list(filters);
  output.printResult(page.data, () =>
    page.data.length === 0 ? ['No such jobs.'] : alignColumns(page.data.map(rowOf)),
  );
  if (page.has_more) output.note(`There are more: --after ${page.last_id}`);
}

/** In any case of letters. */
function readStatus(text: string): JobStatus['status'] {
  const status = statuses.find(one => one === text.toUpperCase());
  if (status) return status;
  throw new CommandError(`--status must be one of ${statuses.join(', ')}`);
}

/** A duration is counted back from now; anything else is a time for the gateway to parse. */
const readSince = (text: string): string =>
  /^\d+[smhd]$/.test(text) ? new Date(Date.now() - readDuration(text, '--since')).toISOString() : text;

/** The gateway's own bounds, checked before it is called. */
function readLimit(text: string): number {
  if (/^[1-9]\d?$|^100$/.test(text)) return Number(text);
  throw new CommandError('--limit must be a whole number from 1 to 100');
}

/** A line of the table: id, time, model, status and external_task_id. */
const rowOf = (job: ListedJob): readonly string[] => [
  job.request_id,
  new Date(job.created_at * 1000).toISOString(),
  job.model,
  statusText(job),
  job.external_task_id ?? '',
];

/** The timeline is read only with --events. */
async function jobCommand(
  id: string,
  options: ClientCommandOptions & { readonly events?: true },
): Promise<void> {
  const { client, output } = await openCommandContext(options);
  // One request finds the model, which the path of the status needs.
  const record = await client.jobs.get(id);
  const status = options.events ? await client.queue.status(record, { logs: true }) : null;
  const logs = status && 'logs' in status ? (status.logs ?? []) : [];
  output.printResult(status ? { ...record, logs } : record, () => [
    ...alignColumns([
      ['job', id],
      ['model', record.model],
      ['status', statusText(record)],
      ['created', new Date(record.created_at * 1000).toISOString()],
      ...(record.external_task_id === undefined ? [] : [['task', record.external_task_id]]),
    ]),
    // Large integers are bigint in the client, which JSON.stringify refuses.
    JSON.stringify(record.input, (_, value) => (typeof value === 'bigint' ? String(value) : value), 2),
    ...logs.map(({ timestamp, level, message }) => [timestamp, level, message].join('  ')),
  ]);
}

/** Watches all jobs at the same time. */
async function watchCommand(
  ids: readonly string[],
  options: ClientCommandOptions & { readonly exitStatus?: true },
): Promise<void> {
  const context = await openCommandContext(options);
  const interrupts = openInterrupts();
  try {
    const ends = await Promise.all(ids.map(id => watchJob(context, id, interrupts.signal)));
    const failed = ids.filter((_, index) => ends[index]?.error);
    if (options.exitStatus && failed.length > 0)
      throw new CommandError(`Failed: ${failed.join(', ')}`, exitCodes.jobFailed);
  } catch (failure) {
    if (!interrupts.signal.aborted) throw failure;
    throw new CommandError('Stopped watching; the jobs keep running.', exitCodes.interrupted);
  } finally {
    interrupts.close();
  }
}

/** Prints each status; resolves with the final one, with null where there was none. */
async function watchJob({ client, output }: CommandContext, id: string, signal: AbortSignal) {
  const job = await client.jobs.get(id, { signal });
  for await (const status of client.queue.watch(job, { signal })) {
    output.printResult({ ...status, model: job.model }, () => [`${id}  ${statusText(status)}`]);
    if (status.status === 'COMPLETED') return status;
  }
  return null;
}

/** Does not wait: `watch` does. */
async function resultCommand(
  id: string,
  options: ClientCommandOptions & { readonly save?: string },
): Promise<void> {
  const context = await openCommandContext(options);
  const job = await context.client.jobs.get(id);
  if (job.status !== 'COMPLETED')
    throw new CommandError(
      `Job ${id} has no result yet: ${statusText(job)}. Wait for it: atelier watch ${id}`,
    );
  await printJobResult(context, await context.client.queue.result(job), options.save);
}

/** One result for each job. */
async function cancelCommand(ids: readonly string[], options: ClientCommandOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  for (const id of ids) {
    const outcome = await client.queue.cancel(await client.jobs.get(id));
    output.printResult({ request_id: id, cancel: outcome }, () => [
      `${id}  ${outcome === 'requested' ? 'cancelled, or asked to stop' : 'had already ended'}`,
    ]);
  }
}
