/** `atelier run` and `atelier again`: creates a job, waits for it and prints or saves its result. */
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

/** Options of `run` and `again`, as written. */
interface RunOptions extends ClientCommandOptions {
  /** `NAME=VALUE` of each -i. */
  readonly input: readonly string[];
  /** `NAME=@PATH` of each -f. */
  readonly file: readonly string[];
  /** `--json @PATH` is rewritten to this option. */
  readonly jsonInput?: string;
  readonly wait: boolean;
  /** Folder for the files; `.` without one. */
  readonly save?: string;
  /** A duration, such as 20m. */
  readonly timeout?: string;
  readonly cancelOnTimeout?: true;
  readonly dryRun?: true;
  readonly idempotencyKey?: string;
}

/** Adds the commands that create jobs. */
export function registerRun(program: Command): void {
  runOptions(program.command('run'))
    .description('create a job, wait for it and print its result')
    .argument('<model>', 'a model id: atelier models')
    .argument('[fields...]', 'NAME=VALUE, A.B=VALUE, NAME:=JSON')
    .action(runCommand);
  runOptions(program.command('again'))
    .description('create a new job from the input of an earlier one')
    .argument('<request_id>', 'the earlier job')
    .argument('[fields...]', 'fields to override')
    .action(againCommand);
}

/** Both commands have the same options. */
const runOptions = (command: Command): Command =>
  withClientOptions(command)
    .option('-i, --input <field>', 'a field, as NAME=VALUE; may be repeated', appendOption, [])
    .option(
      '-f, --file <field>',
      'upload a file for a field, as NAME=@PATH; may be repeated',
      appendOption,
      [],
    )
    .option('--json-input <source>', 'the whole input, @PATH or @- for stdin; also --json @PATH')
    .option('--no-wait', 'print the job id and do not wait')
    .option('--save [folder]', 'download the files of the result, here or into a folder (--save=FOLDER)')
    .option('--timeout <time>', 'maximum time to wait, such as 20m; the job keeps running')
    .option('--cancel-on-timeout', 'cancel the job on timeout')
    .option('--dry-run', 'validate the input without creating a job')
    .option('--idempotency-key <key>', 'for 24 hours the same key and input return the same job');

async function runCommand(model: string, fields: readonly string[], options: RunOptions): Promise<void> {
  const timeoutMs = timeoutOf(options);
  const context = await openCommandContext(options);
  const input = await buildInput(context, model, inputOptions(fields, options));
  await submitInput(context, model, input, { ...options, timeoutMs });
}

/** The earlier input is the base of the new one. */
async function againCommand(id: string, fields: readonly string[], options: RunOptions): Promise<void> {
  const timeoutMs = timeoutOf(options);
  const context = await openCommandContext(options);
  const { model, input: before } = await context.client.jobs.get(id);
  const input = await buildInput(context, model, inputOptions(fields, options), withoutTaskId(before));
  await submitInput(context, model, input, { ...options, timeoutMs });
}

/** Milliseconds; infinite without the option. */
const timeoutOf = ({ timeout }: RunOptions): number =>
  timeout === undefined ? Number.POSITIVE_INFINITY : readDuration(timeout, '--timeout');

/** Arguments and -i are the same; arguments come first. */
const inputOptions = (fields: readonly string[], { input, file, jsonInput }: RunOptions) => ({
  fields: [...fields, ...input],
  uploads: file,
  jsonSource: jsonInput,
});

/** An external_task_id identifies one job of a user, so a copy must not have it. */
function withoutTaskId(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  // Some families have it at the top, others within `options`.
  const { external_task_id: _, options, ...rest } = input;
  if (typeof options !== 'object' || options === null) return rest;
  const { external_task_id: __, ...others } = { external_task_id: null, ...options };
  return { ...rest, options: others };
}

/** The options with their timeout in milliseconds. */
type RunSettings = RunOptions & { readonly timeoutMs: number };

/** Validates only with --dry-run; else creates the job and waits for it unless --no-wait. */
async function submitInput(
  context: CommandContext,
  model: string,
  input: object,
  options: RunSettings,
): Promise<void> {
  const { client, output } = context;
  if (options.dryRun) {
    const verdict = await client.models.validate(model, { ...input });
    const jobs = verdict.billed_jobs === 1 ? 'one job' : `${verdict.billed_jobs} jobs`;
    return output.printResult(verdict, () => [`${model} would accept it, as ${jobs}. No job was created.`]);
  }
  const { idempotencyKey } = options;
  const job = await client.queue.submit(model, {
    input: { ...input },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  if (!options.wait) return printJobHandle(context, job);
  const result = await waitForJob(context, job, {
    timeoutMs: options.timeoutMs,
    cancelOnTimeout: options.cancelOnTimeout === true,
  });
  await printJobResult(context, result, options.save);
}

/** The id on stdout, a hint on stderr. */
function printJobHandle({ output }: CommandContext, job: JobHandle): void {
  output.printResult(job, () => [job.request_id]);
  output.note(`Wait for it: atelier watch ${job.request_id}`);
}

/** The result of a failed job is printed, too; the error then sets the exit code 2. */
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

/** Addresses of the files of a result. */
function resultUrls(result: object): readonly string[] {
  const { video, images, audio }: Readonly<Record<string, unknown>> = { ...result };
  return [video, ...(Array.isArray(images) ? images : []), audio].flatMap(file =>
    isRecord(file) && typeof file.url === 'string' ? [file.url] : [],
  );
}
