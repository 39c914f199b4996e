/**
 * `npm run bench`: every program that has a goal, one after another, and what came of the goals.
 * `npm run bench -- NAME [--flags]`: one of them, or one of those that have none.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { figure, machine, printRow, printTitles } from '../testkit/figures.ts';
import { type Found, foundVariable, type Goal, type GoalName, goals } from './kit/goals.ts';

const withGoals = [...new Set(Object.values(goals).map(goal => goal.program))];
const others = ['fair', 'bodies', 'crowd', 'full-disk', 'failing-flush'];
/** Programs stand in a folder a theme: `store/growth.ts` is `growth`. */
const themes = ['http', 'store', 'worker', 'media', 'chaos', 'assembled'];
const nameWidth = 64;

const [named, ...flags] = process.argv.slice(2);
if (named !== undefined && ![...withGoals, ...others].includes(named)) {
  console.error(`There is no benchmark "${named}". There are: ${[...withGoals, ...others].join(', ')}.`);
  process.exit(1);
}
const programs = named === undefined ? withGoals : [named];
const found = new Map<GoalName, number>();
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

/** False when it did not end well. */
async function run(program: string): Promise<boolean> {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const path = themes.map(theme => join(here, theme, `${program}.ts`)).find(existsSync);
  if (path === undefined)
    throw new Error(`expected ${program}.ts in one of the folders ${themes.join(', ')}`);
  const child = spawn(process.execPath, [path, ...flags], {
    env: { ...process.env, [foundVariable]: '3' },
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  });
  const closed = once(child, 'close');
  ending.signal.addEventListener('abort', () => child.kill());
  for await (const line of createInterface(child.stdio[3] as Readable)) {
    const { goal, value }: Found = JSON.parse(line);
    found.set(goal, value);
  }
  const [code] = await closed;
  if (code !== 0) console.log(`\n${program} did not end well (${code}).`);
  return code === 0;
}

function printGoals(): void {
  const wanted = Object.entries(goals).filter(([, goal]) => programs.includes(goal.program));
  if (wanted.length === 0) return;
  console.log(`\n## Goals, ${startedAt.toISOString().slice(0, 10)}\n`);
  printTitles('', ['goal', 'found', ''], nameWidth);
  for (const [name, goal] of wanted) printGoal(goal, found.get(name as GoalName));
}

function printGoal(goal: Goal, value: number | undefined): void {
  const { says, bound, digits } = goal;
  const told = value === undefined ? ['–', 'not measured'] : [figure(value, digits), verdict(goal, value)];
  printRow(says, [`${bound} ${figure(goal.value, digits)}`, ...told], nameWidth);
}

/** Judged as it is shown: a digit more would say nothing. */
function verdict({ bound, value: wanted, digits }: Goal, value: number): string {
  const shown = Number(value.toFixed(digits));
  return (bound === 'at least' ? shown >= wanted : shown <= wanted) ? 'met' : 'not met';
}
