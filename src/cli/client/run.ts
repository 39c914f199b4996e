import type { Command } from 'commander';
import type { FailedResult, JobHandle, ResultOf } from '../../../client/src/index.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { readDuration } from '../read-duration.ts';
import { buildInput } from './build-input.ts';
import { appendOption, withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, type CommandContext, openCommandContext } from './command-context.ts';
import { isRecord } from './input-fields.ts';
import { saveResult } from './save-result.ts';
import { waitForJob } from './wait-for-job.ts';

interface RunOptions extends ClientCommandOptions {
  readonly input: readonly string[];
  readonly file: readonly string[];
  /** `--json @PATH` is told as this. */
  readonly jsonInput?: string;
  readonly wait: boolean;
  readonly save?: string;
  readonly timeout?: string;
  readonly cancelOnTimeout?: true;
  readonly dryRun?: true;
  readonly idempotencyKey?: string;
}

export function registerRun(program: Command): void {
  runOptions(program.command('run'))
    .description('makes a job, waits for its end and gives its result')
    .argument('<model>', 'a model id: atelier models')
    .argument('[fields...]', 'NAME=VALUE, A.B=VALUE, NAME:=JSON')
    .action(runCommand);
  runOptions(program.command('again'))
    .description('makes a new job of the input of an earlier one')
    .argument('<request_id>', 'the earlier job')
    .argument('[fields...]', 'what is to be different')
    .action(againCommand);
}

const runOptions = (command: Command): Command =>
  withClientOptions(command)
    .option('-i, --input <field>', 'a field, as NAME=VALUE; again for each', appendOption, [])
    .option('-f, --file <field>', 'a file that is uploaded for a field, as NAME=@PATH', appendOption, [])
    .option('--json-input <source>', 'the whole input, @PATH or @- for stdin; also --json @PATH')
    .option('--no-wait', 'gives the handle and does not wait')
    .option('--save [folder]', 'downloads the files of the result, here or into a folder (--save=FOLDER)')
    .option('--timeout <time>', 'waits at most so long, such as 20m; the job goes on')
    .option('--cancel-on-timeout', 'and is cancelled then')
    .option('--dry-run', 'only says whether the input would be accepted')
    .option('--idempotency-key <key>', 'the same key and input are the same job, for 24 hours');

async function runCommand(model: string, fields: readonly string[], options: RunOptions): Promise<void> {
  const timeoutMs = timeoutOf(options);
  const asked = await openCommandContext(options);
  const input = await buildInput(asked, model, inputOptions(fields, options));
  await submitInput(asked, model, input, { ...options, timeoutMs });
}

async function againCommand(id: string, fields: readonly string[], options: RunOptions): Promise<void> {
  const timeoutMs = timeoutOf(options);
  const asked = await openCommandContext(options);
  const { model, input: before } = await asked.client.jobs.get(id);
  const input = await buildInput(asked, model, inputOptions(fields, options), withoutTaskId(before));
  await submitInput(asked, model, input, { ...options, timeoutMs });
}

const timeoutOf = ({ timeout }: RunOptions): number =>
  timeout === undefined ? Number.POSITIVE_INFINITY : readDuration(timeout, '--timeout');

const inputOptions = (fields: readonly string[], { input, file, jsonInput }: RunOptions) => ({
  fields: [...fields, ...input],
  uploads: file,
  jsonSource: jsonInput,
});

/** It names one job of a user and no other. */
function withoutTaskId(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { external_task_id: _, options, ...rest } = input;
  if (typeof options !== 'object' || options === null) return rest;
  const { external_task_id: __, ...others } = { external_task_id: null, ...options };
  return { ...rest, options: others };
}

type RunSettings = RunOptions & { readonly timeoutMs: number };

async function submitInput(
  asked: CommandContext,
  model: string,
  input: object,
  options: RunSettings,
): Promise<void> {
  const { client, output } = asked;
  if (options.dryRun) {
    const verdict = await client.models.validate(model, { ...input });
    const jobs = verdict.billed_jobs === 1 ? 'one job' : `${verdict.billed_jobs} jobs`;
    return output.printResult(verdict, () => [`${model} would accept it, as ${jobs}. Nothing was made.`]);
  }
  const { idempotencyKey } = options;
  const job = await client.queue.submit(model, {
    input: { ...input },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  if (!options.wait) return printJobHandle(asked, job);
  const result = await waitForJob(asked, job, {
    timeoutMs: options.timeoutMs,
    cancelOnTimeout: options.cancelOnTimeout === true,
  });
  await printJobResult(asked, result, options.save);
}

function printJobHandle({ output }: CommandContext, job: JobHandle): void {
  output.printResult(job, () => [job.request_id]);
  output.note(`Wait for it: atelier watch ${job.request_id}`);
}

/** A failed job is given, too, and ends the process with a code of its own. */
export async function printJobResult(
  { output }: CommandContext,
  result: ResultOf<string> | FailedResult,
  folder: string | undefined,
): Promise<void> {
  if (result.error !== null) {
    output.printResult(result, () => []);
    throw new CommandError(
      `Job ${result.request_id} failed (${result.error.code}). ${result.error.message}`,
      exitCodes.jobFailed,
    );
  }
  const saved = folder === undefined ? null : await saveResult(result, folder);
  for (const path of saved ?? []) output.note(`Saved ${path}`);
  output.printResult(saved ? { ...result, saved } : result, () => saved ?? resultUrls(result));
}

function resultUrls(result: object): readonly string[] {
  const { video, images, audio }: Readonly<Record<string, unknown>> = { ...result };
  return [video, ...(Array.isArray(images) ? images : []), audio].flatMap(file =>
    isRecord(file) && typeof file.url === 'string' ? [file.url] : [],
  );
}
