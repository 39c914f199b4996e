/**
 * Processes that run commands of `atelier` one after the other: loading the program costs a command more than all else
 * it does, and here it is loaded once.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { programPath } from '../run/programs.ts';
import { bareEnvironment } from './bare-environment.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export type Environment = Readonly<Record<string, string>>;

/** What came of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** To the process: one command. */
export interface SentCommand {
  readonly args: readonly string[];
  readonly env: Environment;
  /** Written to both outputs after everything that the command printed. */
  readonly mark: string;
}

/** From the process: the end of the command. */
export interface CommandEnded {
  readonly code: number;
  /** What would have kept a process alive; empty where nothing would. */
  readonly leftOpen: string;
}

const idle: ChildProcess[] = [];
let commands = 0;

/** Runs `atelier <args>` to its end, in an idle process or a new one. */
export async function runInSharedProcess(args: readonly string[], env: Environment): Promise<Ended> {
  const child = idle.pop() ?? start();
  keepAlive(child, true);
  const mark = `\0end of command ${++commands}\0`;
  const closed = once(child, 'close');
  const answered = once(child, 'message');
  const stdout = readUntil(child.stdout!, mark);
  const stderr = readUntil(child.stderr!, mark);
  const command: SentCommand = { args, env: { ...bareEnvironment(), ...env }, mark };
  child.send(command);
  const ended = await Promise.race([answered, closed.then(() => null)]);
  // It ended the process itself, as it would one of its own.
  if (ended === null) return { code: (await closed)[0], stdout: await stdout, stderr: await stderr };
  const { code, leftOpen }: CommandEnded = ended[0];
  const printed = { stdout: await stdout, stderr: await stderr };
  if (leftOpen !== '') {
    child.kill('SIGKILL');
    throw new Error(`atelier ${args.join(' ')} never ends: open are ${leftOpen}`);
  }
  keepAlive(child, false);
  idle.push(child);
  return { code, ...printed };
}

/** Ends the idle processes; they also end with this one. */
export async function closeSharedProcesses(): Promise<void> {
  await Promise.all(
    idle.splice(0).map(async child => {
      const closed = once(child, 'close');
      keepAlive(child, true);
      child.disconnect();
      await closed;
    }),
  );
}

function start(): ChildProcess {
  const child = spawn(process.execPath, [programPath('testkit/gateway/commands-program.ts')], {
    cwd: root,
    env: { ...bareEnvironment() },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const output of [child.stdout!, child.stderr!]) output.setEncoding('utf8');
  return child;
}

/** Whether this process waits for the child before it ends. */
function keepAlive(child: ChildProcess, isAwaited: boolean): void {
  const parts = [child, child.channel, child.stdout, child.stderr] as readonly ({
    ref?(): void;
    unref?(): void;
  } | null)[];
  for (const part of parts) {
    if (isAwaited) part?.ref?.();
    else part?.unref?.();
  }
}

/** The text before the mark, or all of it where the output ends without one. */
function readUntil(output: Readable, mark: string): Promise<string> {
  return new Promise(resolve => {
    let text = '';
    const onData = (piece: string) => {
      text += piece;
      if (text.endsWith(mark)) end(text.slice(0, -mark.length));
    };
    const onEnd = () => end(text);
    const end = (whole: string) => {
      output.off('data', onData).off('end', onEnd);
      resolve(whole);
    };
    output.on('data', onData).on('end', onEnd);
  });
}
