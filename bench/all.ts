/**
 * `npm run bench`: runs every benchmark that has a goal, one after another, and lists the goals with what was measured.
 * `npm run bench -- NAME [--flags]`: runs one benchmark; an unknown name lists them all.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { figure, machine, printRow, printTitles } from '../testkit/figures.ts';
import { type Figure, figuresVariable, type Goal, type GoalName, goals } from './kit/goals.ts';

/** In the order of the goals. */
const withGoals = [...new Set(Object.values(goals).map(goal => goal.program))];
/** Without a goal: they run only by name. */
const others = [
  'fairness-simulation',
  'expensive-bodies',
  'concurrent-renders',
  'full-disk',
  'failing-flush',
];
/** Names of earlier releases. */
const aliases: Readonly<Record<string, string>> = {
  http: 'throughput',
  life: 'job-latency',
  lag: 'completion-lag',
  growth: 'queue-depth',
  fleet: 'restart',
  receiver: 'dead-receiver',
  turns: 'fairness',
  fair: 'fairness-simulation',
  bodies: 'expensive-bodies',
  crowd: 'concurrent-renders',
};
/** A program is in the folder of its theme: `store/queue-depth.ts` is `queue-depth`. */
const themes = ['http', 'store', 'worker', 'media', 'chaos', 'assembled'];
const nameWidth = 64;

const [given, ...flags] = process.argv.slice(2);
const named = given === undefined ? undefined : (aliases[given] ?? given);
if (named !== undefined && ![...withGoals, ...others].includes(named)) {
  console.error(`There is no benchmark "${named}". Benchmarks: ${[...withGoals, ...others].join(', ')}.`);
  process.exit(1);
}
const programs = named === undefined ? withGoals : [named];
const measured = new Map<GoalName, number>();
const startedAt = new Date();
if (named === undefined) console.log(machine());
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
for (const program of programs) {
  if (ending.signal.aborted) break;
  if (named === undefined) console.log(`\n## ${program}\n`);
  if (!(await run(program))) process.exitCode = 1;
}
printGoals();

/** Runs the program and collects its figures; false when it failed. */
async function run(program: string): Promise<boolean> {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const path = themes.map(theme => join(here, theme, `${program}.ts`)).find(existsSync);
  if (path === undefined)
    throw new Error(`expected ${program}.ts in one of the folders ${themes.join(', ')}`);
  const child = spawn(process.execPath, [path, ...flags], {
    env: { ...process.env, [figuresVariable]: '3' },
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  });
  const closed = once(child, 'close');
  ending.signal.addEventListener('abort', () => child.kill());
  for await (const line of createInterface(child.stdio[3] as Readable)) {
    const { goal, value }: Figure = JSON.parse(line);
    measured.set(goal, value);
  }
  const [code] = await closed;
  if (code !== 0) console.log(`\n${program} failed with exit code ${code}.`);
  return code === 0;
}

/** The goals of the benchmarks that ran, with the measured figures. */
function printGoals(): void {
  const wanted = Object.entries(goals).filter(([, goal]) => programs.includes(goal.program));
  if (wanted.length === 0) return;
  console.log(`\n## Goals, ${startedAt.toISOString().slice(0, 10)}\n`);
  printTitles('', ['goal', 'measured', ''], nameWidth);
  for (const [name, goal] of wanted) printGoal(goal, measured.get(name as GoalName));
}

function printGoal(goal: Goal, value: number | undefined): void {
  const { title, bound, digits } = goal;
  const cells = value === undefined ? ['–', 'not measured'] : [figure(value, digits), verdict(goal, value)];
  printRow(title, [`${bound} ${figure(goal.value, digits)}`, ...cells], nameWidth);
}

/** Compared as it is printed: further digits are noise. */
function verdict({ bound, value: wanted, digits }: Goal, value: number): string {
  const shown = Number(value.toFixed(digits));
  return (bound === 'at least' ? shown >= wanted : shown <= wanted) ? 'met' : 'not met';
}
