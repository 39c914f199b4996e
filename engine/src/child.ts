/** Entry of a child process of the engine: does what each message says, until it is to exit. */
import { join } from 'node:path';
import {
  type FromChild,
  isToChild,
  type RenderContext,
  type RenderResult,
  type RenderTask,
} from './messages.ts';

/** Frames or sentences between two collections of what is young. */
const framesPerCollection = 8;
/** A process that occupies no more is not asked to collect its garbage: its libraries alone take two thirds of that. */
const littleBytes = 256 * 1024 * 1024;

// The gateway has exited: no process will read a result.
process.on('disconnect', () => process.exit(0));

// One run at a time: the engine sends the next message after the reply to the last one.
process.on('message', message => {
  if (!isToChild(message)) return;
  if (message.kind !== 'exit') send({ kind: 'started' });
  switch (message.kind) {
    case 'exit':
      process.exit(0);
      break;
    case 'start':
      void sendLast(
        render(message.task).then(rendered => ({ kind: 'rendered', rendered, memoryBytes: memoryBytes() })),
      );
      return;
    case 'probe':
      void sendLast(probe(message.path).then(video => ({ kind: 'probed', video })));
      return;
    case 'check':
      void sendLast(checkLibraries().then(() => ({ kind: 'usable', memoryBytes: memoryBytes() })));
      return;
    default: {
      const impossible: never = message;
      throw new Error(`expected a known message, got ${JSON.stringify(impossible)}`);
    }
  }
});

/** Renderers are imported when they are needed: each loads native libraries. */
async function render(task: RenderTask): Promise<RenderResult> {
  const context = openRenderContext(task);
  const { plan } = task;
  switch (plan.kind) {
    case 'image':
      return (await import('./picture/image.ts')).renderImage(plan, context);
    case 'video':
      return (await import('./video/video.ts')).renderVideo(plan, context);
    case 'speech':
      return (await import('./speech/speech.ts')).renderSpeech(plan, context);
    default: {
      const impossible: never = plan;
      throw new Error(`expected a known plan, got ${JSON.stringify(impossible)}`);
    }
  }
}

/** Reads the facts of a video file. */
const probe = async (path: string) => (await import('./video/probe-video.ts')).probeVideo(path);

/** Throws where a package is missing or its native build does not work. */
async function checkLibraries(): Promise<void> {
  const { checkEncoding } = await import('./video/encode-video.ts');
  await checkEncoding();
  const { checkEspeak } = await import('./speech/espeak.ts');
  await checkEspeak();
}

/** Paths, progress and yielding for the renderers. */
function openRenderContext(task: RenderTask): RenderContext {
  let yields = 0;
  return {
    seed: task.seed,
    outputPath: name => join(task.directory, name),
    inputPath(media) {
      const path = task.inputs[media];
      if (path === undefined) throw new Error('expected a local file for every medium of the plan');
      return path;
    },
    progress: fraction => send({ kind: 'progress', fraction }),
    async yieldToEventLoop() {
      yields += 1;
      // Pixels live outside the heap, so the collector does not see how much memory they take. They are garbage within
      // a frame: a minor collection frees them at a tenth of the cost of a full one.
      if (yields % framesPerCollection === 0) globalThis.gc?.({ type: 'minor', execution: 'sync' });
      await new Promise(resolve => setImmediate(resolve));
    },
  };
}

/** Of the whole process, after what the run left was collected: where it is little that costs more than a sentence. */
function memoryBytes(): number {
  const occupied = process.memoryUsage.rss();
  if (occupied <= littleBytes) return occupied;
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

/** The result, or the message of its error. */
async function sendLast(last: Promise<FromChild>): Promise<void> {
  send(
    await last.catch(
      (error: unknown): FromChild => ({
        kind: 'failed',
        message: error instanceof Error ? error.message : String(error),
      }),
    ),
  );
}

/** Nothing where the child was started by hand. */
const send = (message: FromChild) => void process.send?.(message);
