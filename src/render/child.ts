import { join } from 'node:path';
import { type FromChild, isToChild, type Rendered, type RenderTask, type Stage } from './messages.ts';

const framesPerCollection = 8;

// The gateway is gone: nobody will read what is drawn here.
process.on('disconnect', () => process.exit(0));

process.on('message', message => {
  if (!isToChild(message)) return;
  switch (message.kind) {
    case 'start':
      void finish(draw(message.task).then(rendered => ({ kind: 'rendered', rendered })));
      return;
    case 'probe':
      void finish(probe(message.path).then(video => ({ kind: 'probed', video })));
      return;
    case 'try':
      void finish(tryLibraries().then(() => ({ kind: 'usable' })));
      return;
    default: {
      const impossible: never = message;
      throw new Error(`expected a known message, got ${JSON.stringify(impossible)}`);
    }
  }
});

async function draw(task: RenderTask): Promise<Rendered> {
  const stage = openStage(task);
  const { plan } = task;
  switch (plan.kind) {
    case 'image':
      return (await import('./image.ts')).renderImage(plan, stage);
    case 'video':
      return (await import('./video.ts')).renderVideo(plan, stage);
    case 'speech':
      return (await import('./speech.ts')).renderSpeech(plan, stage);
    default: {
      const impossible: never = plan;
      throw new Error(`expected a known plan, got ${JSON.stringify(impossible)}`);
    }
  }
}

const probe = async (path: string) => (await import('./probe-video.ts')).probeVideo(path);

async function tryLibraries(): Promise<void> {
  const { tryEncoding } = await import('./encode-video.ts');
  await tryEncoding();
  const { findSynthesiser } = await import('./speak.ts');
  await findSynthesiser();
}

function openStage(task: RenderTask): Stage {
  let breaths = 0;
  return {
    seed: task.seed,
    path: name => join(task.directory, name),
    input(media) {
      const path = task.inputs[media];
      if (path === undefined) throw new Error('expected a local file for every medium of the plan');
      return path;
    },
    progress: fraction => send({ kind: 'progress', fraction }),
    async breathe() {
      breaths += 1;
      // Pixels live outside the heap, so the collector does not see how much they weigh.
      if (breaths % framesPerCollection === 0) globalThis.gc?.();
      await new Promise(resolve => setImmediate(resolve));
    },
  };
}

async function finish(last: Promise<FromChild>): Promise<void> {
  const message = await last.catch(
    (error: unknown): FromChild => ({
      kind: 'failed',
      message: error instanceof Error ? error.message : String(error),
    }),
  );
  process.send?.(message, () => process.exit(0));
}

const send = (message: FromChild) => void process.send?.(message);
