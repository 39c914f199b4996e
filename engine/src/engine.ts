/** The local engine's API: renders a plan into media files in child processes, at most `concurrency` at once. */
import { type ChildProcesses, openChildProcesses } from './child-processes.ts';
import type { RenderTask, VideoFacts } from './messages.ts';
import { openRenderQueue, type Render } from './render-queue.ts';

export type { RenderedOutput, RenderResult, RenderTask, VideoFacts } from './messages.ts';
export type { Render, RenderOutcome } from './render-queue.ts';

/** Whether the engine can render on this machine; `reason` is a sentence for the operator. */
export type Readiness = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** An open engine; one for each process is enough. */
export interface RenderEngine {
  /** Starts at once, or as soon as fewer than `concurrency` renders run; in the order of the calls. */
  start(task: RenderTask): Render;
  /** Whether the optional libraries are installed and encode: checked once in a child, then remembered. */
  ready(): Promise<Readiness>;
  /**
   * Size, length, frame rate and codec of a video file that the gateway's own readers do not know. One file at a
   * time. Never rejects: null where the engine cannot run, `unreadable` where FFmpeg finds no video.
   */
  probe(path: string): Promise<VideoFacts | 'unreadable' | null>;
  /** Kills running renders, cancels queued ones and resolves when no child is left. */
  close(): Promise<void>;
}

/** Settings of an engine. */
interface RenderEngineOptions {
  /** Renders that run at the same time; more wait. */
  readonly concurrency: number;
  /** Closed with the engine; its own unless given. */
  readonly children?: ChildProcesses;
}

/** It takes half a second of processor time, on a starved machine minutes. After a timeout no job is rendered until a restart. */
const libraryCheckTimeoutMs = 5 * 60_000;
const probeTimeoutMs = 30_000;

/** Libraries do not stop working while a process runs: no other engine of this process checks them again. */
let librariesVerified = false;

/** Opens an engine. Nothing is started before the first call; `close` it, or its children end with the process. */
export function openRenderEngine({
  concurrency,
  children = openChildProcesses(),
}: RenderEngineOptions): RenderEngine {
  const queue = openRenderQueue(children, concurrency);
  const runInOrder = openSerialQueue();
  let check: Promise<Readiness> | undefined;
  const ready = () => {
    check ??= librariesVerified ? Promise.resolve({ ok: true }) : checkLibraries(children);
    return check;
  };
  return {
    start: queue.start,
    ready,
    async probe(path) {
      const { ok } = await ready();
      if (!ok || queue.isClosed()) return null;
      return runInOrder(() => probeVideo(children, path));
    },
    async close() {
      const ended = queue.close();
      await Promise.all([ended, check, children.close()]);
    },
  };
}

/** Runs in a child, so that a native library that crashes does not end the gateway. */
async function checkLibraries(children: ChildProcesses): Promise<Readiness> {
  const end = await children.run({ kind: 'check' }, libraryCheckTimeoutMs).outcome;
  if (end.kind === 'usable') {
    librariesVerified = true;
    return { ok: true };
  }
  const reason = end.kind === 'failed' ? end.message : 'The optional libraries were not checked.';
  return { ok: false, reason };
}

/** A file that crashes FFmpeg counts as unreadable. */
async function probeVideo(children: ChildProcesses, path: string): Promise<VideoFacts | 'unreadable'> {
  const end = await children.run({ kind: 'probe', path }, probeTimeoutMs).outcome;
  return end.kind === 'probed' ? end.video : 'unreadable';
}

/** Runs one piece of work after the other. Every caller occupies a slot of an account, so the queue stays short. */
function openSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return work => {
    const result = last.then(work);
    // A failed piece of work must not fail those behind it.
    last = result.catch(() => {});
    return result;
  };
}
