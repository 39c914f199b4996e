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

export function registerJobs(program: Command): void {
  withClientOptions(program.command('jobs'))
    .description("one's own jobs, the newest first")
    .option('--status <status>', 'IN_QUEUE, IN_PROGRESS or COMPLETED')
    .option('--model <id>', 'of one model')
    .option('--task <id>', 'the one with this external_task_id')
    .option('--since <time>', 'made in the last 2h, or since 2026-05-21T07:30Z')
    .option('--limit <count>', 'at most so many, up to 100', '20')
    .option('--after <request_id>', 'older than this one')
    .action(jobsCommand);
  withClientOptions(program.command('job'))
    .description('one job: its status and its input')
    .argument('<request_id>')
    .option('--events', 'and what happened to it')
    .action(jobCommand);
  withClientOptions(program.command('watch'))
    .description('tells every change of jobs until their end')
    .argument('<request_id...>')
    .option('--exit-status', 'ends with 2 when one of them failed')
    .action(watchCommand);
  withClientOptions(program.command('result'))
    .description('the result of a job that has ended')
    .argument('<request_id>')
    .option('--save [folder]', 'downloads its files, here or into a folder (--save=FOLDER)')
    .action(resultCommand);
  withClientOptions(program.command('cancel'))
    .description('ends jobs that wait, asks those that run to stop')
    .argument('<request_id...>')
    .action(cancelCommand);
}

interface JobsOptions extends ClientCommandOptions {
  readonly status?: string;
  readonly model?: string;
  readonly task?: string;
  readonly since?: string;
  readonly limit: string;
  readonly after?: string;
}

const statuses: readonly JobStatus['status'][] = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'];

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

function readStatus(text: string): JobStatus['status'] {
  const status = statuses.find(one => one === text.toUpperCase());
  if (status) return status;
  throw new CommandError(`--status must be one of ${statuses.join(', ')}`);
}

/** A time as it is, or how long ago. */
const readSince = (text: string): string =>
  /^\d+[smhd]$/.test(text) ? new Date(Date.now() - readDuration(text, '--since')).toISOString() : text;

function readLimit(text: string): number {
  if (/^[1-9]\d?$|^100$/.test(text)) return Number(text);
  throw new CommandError('--limit must be a whole number from 1 to 100');
}

const rowOf = (job: ListedJob): readonly string[] => [
  job.request_id,
  new Date(job.created_at * 1000).toISOString(),
  job.model,
  statusText(job),
  job.external_task_id ?? '',
];

async function jobCommand(
  id: string,
  options: ClientCommandOptions & { readonly events?: true },
): Promise<void> {
  const { client, output } = await openCommandContext(options);
  const record = await client.jobs.get(id);
  const status = options.events ? await client.queue.status(record, { logs: true }) : null;
  const logs = status && 'logs' in status ? (status.logs ?? []) : [];
  output.printResult(status ? { ...record, logs } : record, () => [
    ...alignColumns([
      ['job', id],
      ['model', record.model],
      ['status', statusText(record)],
      ['made', new Date(record.created_at * 1000).toISOString()],
      ...(record.external_task_id === undefined ? [] : [['task', record.external_task_id]]),
    ]),
    JSON.stringify(record.input, (_, value) => (typeof value === 'bigint' ? String(value) : value), 2),
    ...logs.map(({ timestamp, level, message }) => [timestamp, level, message].join('  ')),
  ]);
}

async function watchCommand(
  ids: readonly string[],
  options: ClientCommandOptions & { readonly exitStatus?: true },
): Promise<void> {
  const asked = await openCommandContext(options);
  const interrupts = openInterrupts();
  try {
    const ends = await Promise.all(ids.map(id => watchJob(asked, id, interrupts.signal)));
    const failed = ids.filter((_, index) => ends[index]?.error);
    if (options.exitStatus && failed.length > 0)
      throw new CommandError(`Failed: ${failed.join(', ')}`, exitCodes.jobFailed);
  } catch (failure) {
    if (!interrupts.signal.aborted) throw failure;
    throw new CommandError('No longer watching; the jobs go on.', exitCodes.interrupted);
  } finally {
    interrupts.close();
  }
}

/** Its last status; null where there was none. */
async function watchJob({ client, output }: CommandContext, id: string, signal: AbortSignal) {
  const job = await client.jobs.get(id, { signal });
  for await (const status of client.queue.watch(job, { signal })) {
    output.printResult({ ...status, model: job.model }, () => [`${id}  ${statusText(status)}`]);
    if (status.status === 'COMPLETED') return status;
  }
  return null;
}

async function resultCommand(
  id: string,
  options: ClientCommandOptions & { readonly save?: string },
): Promise<void> {
  const asked = await openCommandContext(options);
  const job = await asked.client.jobs.get(id);
  if (job.status !== 'COMPLETED')
    throw new CommandError(
      `Job ${id} has no result yet: ${statusText(job)}. Wait for it: atelier watch ${id}`,
    );
  await printJobResult(asked, await asked.client.queue.result(job), options.save);
}

async function cancelCommand(ids: readonly string[], options: ClientCommandOptions): Promise<void> {
  const { client, output } = await openCommandContext(options);
  for (const id of ids) {
    const answer = await client.queue.cancel(await client.jobs.get(id));
    output.printResult({ request_id: id, cancel: answer }, () => [
      `${id}  ${answer === 'requested' ? 'cancelled, or asked to stop' : 'was over already'}`,
    ]);
  }
}
