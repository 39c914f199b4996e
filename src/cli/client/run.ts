import type { Command } from 'commander';
import type { FailedResult, JobHandle, ResultOf } from '../../../client/src/index.ts';
import { CommandFault } from '../command-fault.ts';
import { exitCodes } from '../exit-code.ts';
import { readDuration } from '../read-duration.ts';
import { asking, collect } from './asking.ts';
import { buildInput } from './build-input.ts';
import { followJob } from './follow-job.ts';
import { isRecord } from './input-fields.ts';
import { type Asking, type AskingOptions, openAsking } from './open-client.ts';
import { saveResult } from './save-result.ts';

interface RunOptions extends AskingOptions {
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
  asking(command)
    .option('-i, --input <field>', 'a field, as NAME=VALUE; again for each', collect, [])
    .option('-f, --file <field>', 'a file that is uploaded for a field, as NAME=@PATH', collect, [])
    .option('--json-input <source>', 'the whole input, @PATH or @- for stdin; also --json @PATH')
    .option('--no-wait', 'gives the handle and does not wait')
    .option('--save [folder]', 'downloads the files of the result, here or into a folder (--save=FOLDER)')
    .option('--timeout <time>', 'waits at most so long, such as 20m; the job goes on')
    .option('--cancel-on-timeout', 'and is cancelled then')
    .option('--dry-run', 'only says whether the input would be accepted')
    .option('--idempotency-key <key>', 'the same key and input are the same job, for 24 hours');

async function runCommand(model: string, fields: readonly string[], options: RunOptions): Promise<void> {
  const timeoutMs = timeoutOf(options);
  const asked = await openAsking(options);
  const input = await buildInput(asked, model, inputOptions(fields, options));
  await runInput(asked, model, input, { ...options, timeoutMs });
}

async function againCommand(id: string, fields: readonly string[], options: RunOptions): Promise<void> {
  const timeoutMs = timeoutOf(options);
  const asked = await openAsking(options);
  const { model, input: before } = await asked.client.jobs.get(id);
  const input = await buildInput(asked, model, inputOptions(fields, options), withoutTaskId(before));
  await runInput(asked, model, input, { ...options, timeoutMs });
}

const timeoutOf = ({ timeout }: RunOptions): number =>
  timeout === undefined ? Number.POSITIVE_INFINITY : readDuration(timeout, '--timeout');

const inputOptions = (fields: readonly string[], { input, file, jsonInput }: RunOptions) => ({
  fields: [...fields, ...input],
  uploads: file,
  whole: jsonInput,
});

/** It names one job of a user and no other. */
function withoutTaskId(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { external_task_id: _, options, ...rest } = input;
  if (typeof options !== 'object' || options === null) return rest;
  const { external_task_id: __, ...others } = { external_task_id: null, ...options };
  return { ...rest, options: others };
}

type Running = RunOptions & { readonly timeoutMs: number };

async function runInput(asked: Asking, model: string, input: object, options: Running): Promise<void> {
  const { client, talk } = asked;
  if (options.dryRun) {
    const verdict = await client.models.validate(model, { ...input });
    const jobs = verdict.billed_jobs === 1 ? 'one job' : `${verdict.billed_jobs} jobs`;
    return talk.give(verdict, () => [`${model} would accept it, as ${jobs}. Nothing was made.`]);
  }
  const { idempotencyKey } = options;
  const job = await client.queue.submit(model, {
    input: { ...input },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  if (!options.wait) return giveHandle(asked, job);
  const result = await followJob(asked, job, {
    timeoutMs: options.timeoutMs,
    cancelOnTimeout: options.cancelOnTimeout === true,
  });
  await giveResult(asked, result, options.save);
}

function giveHandle({ talk }: Asking, job: JobHandle): void {
  talk.give(job, () => [job.request_id]);
  talk.say(`Wait for it: atelier watch ${job.request_id}`);
}

/** A failed job is given, too, and ends the process with a code of its own. */
export async function giveResult(
  { talk }: Asking,
  result: ResultOf<string> | FailedResult,
  folder: string | undefined,
): Promise<void> {
  if (result.error !== null) {
    talk.give(result, () => []);
    throw new CommandFault(
      `Job ${result.request_id} failed (${result.error.code}). ${result.error.message}`,
      exitCodes.jobFailed,
    );
  }
  const saved = folder === undefined ? null : await saveResult(result, folder);
  for (const path of saved ?? []) talk.say(`Saved ${path}`);
  talk.give(saved ? { ...result, saved } : result, () => saved ?? addressesIn(result));
}

function addressesIn(result: object): readonly string[] {
  const { video, images, audio }: Readonly<Record<string, unknown>> = { ...result };
  return [video, ...(Array.isArray(images) ? images : []), audio].flatMap(file =>
    isRecord(file) && typeof file.url === 'string' ? [file.url] : [],
  );
}
