import { type ChildProcess, fork } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seconds } from '../../src/domain/clock.ts';
import { openFairQueue } from '../../src/domain/fair-queue.ts';
import type { ProbeVideo } from '../../src/domain/media.ts';
import { type FromChild, isFromChild, type RenderResult, type RenderTask, type ToChild } from './messages.ts';

export type { RenderedOutput, RenderResult, RenderTask } from './messages.ts';

export type RenderOutcome =
  | { readonly kind: 'rendered'; readonly rendered: RenderResult }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'cancelled' };

export interface Render {
  /** Never rejects; when it resolves the child is gone and, unless rendered, the directory is empty. */
  readonly outcome: Promise<RenderOutcome>;
  /** 0 to 1. */
  progress(): number;
  /** Kills the child; it has nothing to put in order. Has no effect on an ended render. */
  cancel(): void;
}

export type Readiness = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface RenderEngine {
  /** Starts at once, or as soon as fewer than `concurrency` renders run; in the order of the calls. */
  start(task: RenderTask): Render;
  /** Whether the optional libraries are here and encode: tried once in a child, remembered. */
  ready(): Promise<Readiness>;
  /** What a video file holds that our own readers cannot read; one file at a time. Never rejects. */
  probe: ProbeVideo;
  /** Kills what runs, cancels what waits and resolves when no child is left. */
  close(): Promise<void>;
}

interface RenderEngineOptions {
  /** Renders that run at the same time; more wait. */
  readonly concurrency: number;
}

interface QueuedRender {
  readonly begin: () => void;
}

interface ChildRun {
  readonly child: ChildProcess;
  readonly outcome: Promise<RenderOutcome | { readonly kind: 'usable' } | Probed>;
}

type Probed = Extract<FromChild, { readonly kind: 'probed' }>;

const childPath = fileURLToPath(new URL('./child.ts', import.meta.url));
const libraryCheckTimeoutMs = 30 * seconds;
const probeTimeoutMs = 30 * seconds;
const maxStderrCharacters = 4000;

/** Libraries that work do not stop to: no other engine of this process tries them again. */
let librariesVerified = false;

export function openRenderEngine({ concurrency }: RenderEngineOptions): RenderEngine {
  const children = new Set<ChildProcess>();
  const renders = new Set<Render>();
  const waiting: QueuedRender[] = [];
  let running = 0;
  let closed = false;
  let tried: Promise<Readiness> | undefined;
  // Whoever waits here holds a slot of an account, so there are never many.
  const probes = openFairQueue<'video'>({
    running: 1,
    runningPerShare: 1,
    waiting: Number.POSITIVE_INFINITY,
    waitingPerShare: Number.POSITIVE_INFINITY,
  });
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL');
  };
  // A gateway that ends without `close` must not leave renders behind.
  process.on('exit', killAll);

  function next(): void {
    while (running < concurrency) {
      const first = waiting.shift();
      if (first === undefined) return;
      running += 1;
      first.begin();
    }
  }

  function start(task: RenderTask): Render {
    const { promise: outcome, resolve } = Promise.withResolvers<RenderOutcome>();
    let progress = 0;
    let child: ChildProcess | undefined;
    let cancelled = false;
    const entry: QueuedRender = {
      begin() {
        const run = runChild({ kind: 'start', task }, task.timeoutMs, fraction => {
          progress = Math.max(progress, fraction);
        });
        child = run.child;
        void run.outcome.then(async end => {
          running -= 1;
          next();
          const last = cancelled && end.kind !== 'rendered' ? { kind: 'cancelled' as const } : end;
          settle(isRenderOutcome(last) ? last : { kind: 'failed', message: 'The render gave no result.' });
        });
      },
    };
    const render: Render = {
      outcome,
      progress: () => progress,
      cancel() {
        if (cancelled) return;
        cancelled = true;
        const place = waiting.indexOf(entry);
        if (place >= 0) {
          waiting.splice(place, 1);
          settle({ kind: 'cancelled' });
        } else child?.kill('SIGKILL');
      },
    };
    function settle(end: RenderOutcome): void {
      void removeExtraFiles(task.directory, end).then(() => {
        if (end.kind === 'rendered') progress = 1;
        renders.delete(render);
        resolve(end);
      });
    }
    renders.add(render);
    if (closed) settle({ kind: 'cancelled' });
    else {
      waiting.push(entry);
      next();
    }
    return render;
  }

  function runChild(message: ToChild, timeoutMs: number, onProgress: (fraction: number) => void): ChildRun {
    const child = forkChild();
    children.add(child);
    const { promise, resolve } = Promise.withResolvers<Awaited<ChildRun['outcome']>>();
    let stderr = '';
    let told: Awaited<ChildRun['outcome']> | undefined;
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-maxStderrCharacters);
    });
    child.on('message', received => {
      if (!isFromChild(received)) return;
      if (received.kind === 'progress') onProgress(received.fraction);
      else told = received;
    });
    child.on('error', error => {
      stderr += error.message;
      if (child.pid === undefined) end('did not start');
    });
    child.on('close', (code, signal) =>
      end(signal === null ? `ended with code ${code}` : `died of ${signal}`),
    );
    function end(how: string): void {
      clearTimeout(timer);
      children.delete(child);
      if (timedOut && told?.kind !== 'rendered') {
        told = { kind: 'failed', message: `The render took longer than ${timeoutMs / seconds} seconds.` };
      }
      resolve(told ?? { kind: 'failed', message: exitMessage(how, stderr) });
    }
    child.send(message, () => {});
    return { child, outcome: promise };
  }

  async function tryLibraries(): Promise<Readiness> {
    const end = await runChild({ kind: 'try' }, libraryCheckTimeoutMs, () => {}).outcome;
    if (end.kind !== 'usable')
      return { ok: false, reason: end.kind === 'failed' ? end.message : 'The libraries were not tried.' };
    librariesVerified = true;
    return { ok: true };
  }

  function ready(): Promise<Readiness> {
    tried ??= librariesVerified ? Promise.resolve({ ok: true }) : tryLibraries();
    return tried;
  }

  return {
    start,
    ready,
    async probe(path) {
      const ability = await ready();
      if (!ability.ok || closed) return null;
      return probes.run('video', async () => {
        const end = await runChild({ kind: 'probe', path }, probeTimeoutMs, () => {}).outcome;
        return end.kind === 'probed' ? end.video : 'unreadable';
      });
    },
    async close() {
      closed = true;
      const open = [...renders];
      for (const render of open) render.cancel();
      killAll();
      await Promise.all([...open.map(render => render.outcome), tried]);
      process.off('exit', killAll);
    },
  };
}

/** Of the environment PATH alone, so that a render knows no secret it could leak; and where parsed code is kept. */
function forkChild(): ChildProcess {
  const path = process.env.PATH;
  const parsed = getCompileCacheDir();
  const child = fork(childPath, {
    execArgv: ['--expose-gc', '--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
    env: {
      ...(path !== undefined && { PATH: path }),
      // The folder that we were told; what it names is one of a version within.
      ...(parsed !== undefined && { NODE_COMPILE_CACHE: dirname(parsed) }),
    },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // A render is never more urgent than the gateway. Set from here, all its threads inherit it: those that V8 starts too.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  return child;
}

const isRenderOutcome = (end: Awaited<ChildRun['outcome']>): end is RenderOutcome =>
  end.kind !== 'usable' && end.kind !== 'probed';

/** The directory was empty at the start, so whatever is not an output is a piece of one. */
async function removeExtraFiles(directory: string, end: RenderOutcome): Promise<void> {
  const keep = new Set(end.kind === 'rendered' ? end.rendered.outputs.map(output => output.path) : []);
  const names = await readdir(directory).catch(() => []);
  const extra = names.map(name => join(directory, name)).filter(path => !keep.has(path));
  await Promise.all(extra.map(path => rm(path, { recursive: true, force: true }).catch(() => {})));
}

function exitMessage(how: string, stderr: string): string {
  const lines = stderr.trim().split('\n');
  const last = lines[lines.length - 1]?.trim().slice(0, 300) ?? '';
  return last === '' ? `The render process ${how}.` : `The render process ${how}: ${last}`;
}
