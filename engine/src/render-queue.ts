/** Renders that wait and run: first in, first out, with progress and cancellation. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildEnd, ChildRun } from './child-processes.ts';
import type { RenderResult, RenderTask, ToChild } from './messages.ts';

/** How a render ended; `message` is a sentence for the user of the job. */
export type RenderOutcome =
  | { readonly kind: 'rendered'; readonly rendered: RenderResult }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'cancelled' };

/** A render from its call of `start` to its outcome. */
export interface Render {
  /** Never rejects; when it resolves no process writes into the directory, and unless rendered it is empty. */
  readonly outcome: Promise<RenderOutcome>;
  /** 0 to 1. */
  progress(): number;
  /** Kills the child, which has nothing to clean up. Has no effect on an ended render. */
  cancel(): void;
}

/** What the queue needs of the child processes. */
interface Children {
  run(message: ToChild, timeoutMs: number, onProgress: (fraction: number) => void): ChildRun;
}

/** One render with what changes while it waits and runs. */
interface QueuedRender extends Render {
  readonly task: RenderTask;
  /** Progress, 0 to 1; never falls. */
  fraction: number;
  /** Set when it runs. */
  child: ChildRun | undefined;
  /** A failure after a cancel is reported as cancelled. */
  isCancelled: boolean;
  readonly resolve: (outcome: RenderOutcome) => void;
}

/** The state of one queue. */
interface Queue {
  readonly children: Children;
  /** Maximum of `running`. */
  readonly concurrency: number;
  /** Waiting and running. */
  readonly open: Set<QueuedRender>;
  /** In the order of the calls. */
  readonly waiting: QueuedRender[];
  /** Renders with a child. */
  running: number;
  /** Every later render is cancelled. */
  isClosed: boolean;
}

/** Opens a queue that runs at most `concurrency` renders at once. */
export function openRenderQueue(children: Children, concurrency: number) {
  const queue: Queue = {
    children,
    concurrency,
    open: new Set(),
    waiting: [],
    running: 0,
    isClosed: false,
  };
  return {
    start: (task: RenderTask): Render => enqueue(queue, task),
    isClosed: () => queue.isClosed,
    /** Cancels all renders, later ones too; resolves when each of them has ended. */
    async close(): Promise<void> {
      queue.isClosed = true;
      const open = [...queue.open];
      for (const render of open) render.cancel();
      await Promise.all(open.map(({ outcome }) => outcome));
    },
  };
}

/** Adds a render at the end of the queue; in a closed queue it is cancelled at once. */
function enqueue(queue: Queue, task: RenderTask): QueuedRender {
  const { promise: outcome, resolve } = Promise.withResolvers<RenderOutcome>();
  const render: QueuedRender = {
    task,
    outcome,
    resolve,
    fraction: 0,
    child: undefined,
    isCancelled: false,
    progress: () => render.fraction,
    cancel: () => cancel(queue, render),
  };
  queue.open.add(render);
  if (queue.isClosed) void settle(queue, render, { kind: 'cancelled' });
  else {
    queue.waiting.push(render);
    runNext(queue);
  }
  return render;
}

/** Starts renders as long as there is one waiting and a free slot. */
function runNext(queue: Queue): void {
  while (queue.running < queue.concurrency) {
    const render = queue.waiting.shift();
    if (render === undefined) return;
    queue.running += 1;
    run(queue, render);
  }
}

/** The slot is free as soon as the child has exited, before its files are cleaned up. */
function run(queue: Queue, render: QueuedRender): void {
  const { task } = render;
  render.child = queue.children.run({ kind: 'start', task }, task.timeoutMs, fraction => {
    render.fraction = Math.max(render.fraction, fraction);
  });
  void render.child.outcome.then(end => {
    queue.running -= 1;
    runNext(queue);
    return settle(queue, render, outcomeOf(end, render.isCancelled));
  });
}

/** A render that finished in spite of a cancel counts as rendered. */
function outcomeOf(end: ChildEnd, isCancelled: boolean): RenderOutcome {
  if (end.kind === 'rendered') return { kind: 'rendered', rendered: end.rendered };
  if (isCancelled) return { kind: 'cancelled' };
  return end.kind === 'failed' ? end : { kind: 'failed', message: 'The render process returned no result.' };
}

/** A waiting render leaves the queue; the child of a running one is killed. */
function cancel(queue: Queue, render: QueuedRender): void {
  if (render.isCancelled) return;
  render.isCancelled = true;
  const position = queue.waiting.indexOf(render);
  if (position >= 0) {
    queue.waiting.splice(position, 1);
    void settle(queue, render, { kind: 'cancelled' });
  } else render.child?.kill();
}

/** The directory is cleaned up first: a caller that sees the outcome may remove or reuse it. */
async function settle(queue: Queue, render: QueuedRender, outcome: RenderOutcome): Promise<void> {
  await removeExtraFiles(render.task.directory, outcome);
  if (outcome.kind === 'rendered') render.fraction = 1;
  queue.open.delete(render);
  render.resolve(outcome);
}

/** The directory was empty at the start, so a file that is not an output is an unfinished one. */
async function removeExtraFiles(directory: string, outcome: RenderOutcome): Promise<void> {
  const keep = new Set(outcome.kind === 'rendered' ? outcome.rendered.outputs.map(({ path }) => path) : []);
  const names = await readdir(directory).catch(() => []);
  const extra = names.map(name => join(directory, name)).filter(path => !keep.has(path));
  await Promise.all(extra.map(path => rm(path, { recursive: true, force: true }).catch(() => {})));
}
