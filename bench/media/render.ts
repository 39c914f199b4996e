/**
 * Duration, CPU time and memory of a render by the local engine, compared with a film or picture of the same size and
 * length by an `ffmpeg` command. Rounds alternate, so that a busy moment of the machine affects both.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRenderEngine } from '../../engine/src/engine.ts';
import type { RenderPlan } from '../../engine/src/render-plan.ts';
import { findModel } from '../../src/catalog/index.ts';
import { minutes } from '../../src/domain/clock.ts';
import { machine, percentile, printRow, printTitles, spread } from '../../testkit/figures.ts';
import { type Used, watchDescendants } from '../kit/descendants.ts';
import { reportFigure } from '../kit/goals.ts';

const rounds = 3;
const sampleEveryMs = 20;
const nameWidth = 30;
const fps = 24;
const prompt = 'A lighthouse above the sea at dusk, slow waves';
/** About six seconds of speech. */
const sentence = 'The keeper climbs the stairs, lights the lamp, and waits for the boats to come home. ';

/** The cost of one render or of one ffmpeg command. */
interface Cost extends Used {
  readonly seconds: number;
}

/** One row of the table, with the results of its rounds. */
interface Work {
  readonly name: string;
  readonly plan: RenderPlan;
  readonly ours: Cost[];
  /** Empty where ffmpeg has nothing comparable. */
  readonly theirs: Cost[];
}

/** The figures of a table row, with their decimal places. */
const columns = [
  [(cost: Cost) => cost.seconds, 2],
  [(cost: Cost) => cost.cpuSeconds, 2],
  [(cost: Cost) => cost.peakMb, 0],
] as const;

const works = [
  work('5 s of 720p', 'eta2.6-t2v', { prompt, size: '1280*720', duration: 5 }),
  work('15 s of 1080p', 'eta2.6-t2v', { prompt, size: '1920*1080', duration: 15 }),
  work('a 2k image', 'gamma-v3-image', { prompt, n: 1, resolution: '2k', aspect_ratio: '16:9' }),
  work('a minute of speech', 'delta-speech-02-hd', {
    text: sentence.repeat(11),
    voice_setting: { voice_id: 'calm-man' },
  }),
];
const version =
  spawnSync('ffmpeg', ['-version'], { encoding: 'utf8' }).stdout?.split(' Copyright')[0] ?? null;
const folder = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
const engine = openRenderEngine({ concurrency: 1 });
try {
  console.log(machine());
  console.log(version ?? 'No ffmpeg command on the PATH: nothing to compare with.');
  const state = await engine.ready();
  if (!state.ok) throw new Error(state.reason);
  for (let round = 0; round < rounds; round++) {
    for (const { plan, ours, theirs } of works) {
      ours.push(await inFolder(directory => measure(() => draw(plan, directory))));
      const args = version === null ? null : argumentsFor(plan);
      if (args) theirs.push(await inFolder(directory => measure(() => runFfmpeg(args, directory))));
    }
  }
  print();
  const [film] = works;
  if (film && film.theirs.length > 0)
    reportFigure(
      'render',
      percentile(
        ratiosOf(film, cost => cost.seconds),
        50,
      ),
    );
} finally {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
}

/** The render plan of a request to that model. */
function work(name: string, modelId: string, body: unknown): Work {
  const model = findModel(modelId);
  const parsed = model?.parse(body);
  if (!model || !parsed?.ok) throw new Error(`expected a body for ${modelId}, got ${JSON.stringify(parsed)}`);
  return { name, plan: model.render(parsed.input, () => null), ours: [], theirs: [] };
}

/** Runs `act` with a temporary directory. */
async function inFolder<T>(act: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(folder, 'round-'));
  try {
    return await act(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The duration of `act`, with the CPU time and memory of all its processes. */
async function measure(act: () => Promise<void>): Promise<Cost> {
  const watch = watchDescendants(sampleEveryMs);
  const begun = performance.now();
  await act();
  return { seconds: (performance.now() - begun) / 1000, ...watch.stop() };
}

/** Renders the plan in a process of the engine. */
async function draw(plan: RenderPlan, directory: string): Promise<void> {
  const task = { plan, seed: 7, directory, inputs: {}, timeoutMs: 10 * minutes };
  const end = await engine.start(task).outcome;
  if (end.kind !== 'rendered') throw new Error(`expected a rendered plan, got ${JSON.stringify(end)}`);
}

async function runFfmpeg(args: readonly string[], directory: string): Promise<void> {
  const child = spawn('ffmpeg', ['-hide_banner', '-loglevel', 'error', ...args], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // The priority of a render.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`expected ffmpeg to exit with 0, got ${code}`);
}

/** Null for speech: ffmpeg has no voice. */
function argumentsFor(plan: RenderPlan): readonly string[] | null {
  switch (plan.kind) {
    case 'speech':
      return null;
    case 'image':
      return ['-filter_complex', pictureOf(plan.width, plan.height, 1), '-frames:v', '1', 'out.png'];
    case 'video': {
      const seconds = plan.shots.reduce((sum, shot) => sum + shot.seconds, 0);
      const picture = pictureOf(plan.width, plan.height, seconds);
      const sound = `sine=frequency=220:sample_rate=48000:duration=${seconds}[sound]`;
      return [
        ...['-filter_complex', `${picture}[film];${sound}`, '-map', '[film]', '-map', '[sound]'],
        ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '21', '-pix_fmt', 'yuv420p'],
        ...['-c:a', 'aac', '-movflags', '+faststart', '-t', String(seconds), 'out.mp4'],
      ];
    }
    default: {
      const impossible: never = plan;
      throw new Error(`expected a known plan, got ${JSON.stringify(impossible)}`);
    }
  }
}

/** A moving gradient and, over it, three soft discs that wander; each disc is drawn once. */
function pictureOf(width: number, height: number, seconds: number): string {
  const side = 2 * Math.round(height / 4);
  const alpha = `200*max(0,1-hypot(X-${side / 2},Y-${side / 2})/${side / 2})`;
  const discs = ['gold', 'orchid', 'skyblue'].map(
    (colour, n) =>
      `color=${colour}:s=${side}x${side}:r=${fps},trim=end_frame=1,format=rgba,` +
      `geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='${alpha}',loop=-1:1,setpts=N/${fps}/TB[disc${n}]`,
  );
  const ways = discs.map((_, n) => {
    const [x, y] = [`(W-w)*(0.5+0.5*sin(t*0.${n + 3}+${n}))`, `(H-h)*(0.5+0.5*cos(t*0.${n + 2}+${n}))`];
    return `[picture${n}][disc${n}]overlay=x='${x}':y='${y}':shortest=1`;
  });
  const ground = `gradients=s=${width}x${height}:r=${fps}:d=${seconds}:speed=0.02:c0=navy:c1=coral:x0=0:y0=0:x1=${width}:y1=${height}[picture0]`;
  return [...discs, ground, `${ways[0]}[picture1]`, `${ways[1]}[picture2]`, ways[2]].join(';');
}

function print(): void {
  console.log(`${rounds} rounds\n`);
  printTitles('median (min–max)', ['seconds', 'CPU seconds', 'peak MB'], nameWidth);
  for (const work of works) {
    const { name, ours, theirs } = work;
    printRow(name, cellsOf(ours), nameWidth);
    if (theirs.length === 0) continue;
    printRow('  by ffmpeg', cellsOf(theirs), nameWidth);
    printRow('  times ffmpeg', ratioCellsOf(work), nameWidth);
  }
}

function cellsOf(cost: readonly Cost[]): readonly string[] {
  return columns.map(([read, digits]) => {
    const values = cost.map(read).filter(value => value !== null);
    return values.length > 0 ? spread(values, digits) : '–';
  });
}

/** Ratios round by round, as both ran in the same minute. */
function ratiosOf({ ours, theirs }: Work, read: (typeof columns)[number][0]): readonly number[] {
  return ours.map((cost, round) => (read(cost) ?? Number.NaN) / (read(theirs[round] ?? cost) ?? Number.NaN));
}

/** A dash where ffmpeg or /proc is missing. */
function ratioCellsOf(work: Work): readonly string[] {
  return columns.map(([read]) => {
    const ratios = ratiosOf(work, read);
    return ratios.some(Number.isNaN) ? '–' : spread(ratios, 2);
  });
}
