/**
 * Runs commands of `atelier` as its parent sends them, one after the other, each with the environment and exit code of
 * a process of its own. What a command prints ends with the mark of its message. It has ended when nothing is open that
 * would keep its process alive.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../../src/cli/cli.ts';
import type { CommandEnded, SentCommand } from './command-process.ts';

/** Node keeps a read that ended for the next file, and lists it. */
const keptRead = 'FileHandleReadWrap';
/** Longer than any command takes to close what it opened. */
const closeTimeoutMs = 10_000;

process.umask(0o077);
process.on('message', async (command: SentCommand) => process.send?.(await runCommand(command)));
process.on('disconnect', () => process.exit());
/** Open without a command: the channel to the parent, and the outputs, which keep no process alive. */
const outputs = [process.stdout, process.stderr];
const openBefore = openResources();

async function runCommand({ args, env, mark }: SentCommand): Promise<CommandEnded> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  await run(args);
  const code = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  const leftOpen = await untilClosed();
  for (const { fd } of outputs) writeSync(fd, mark);
  return { code, leftOpen };
}

/** What is still open after a while; empty where nothing is. */
async function untilClosed(): Promise<string> {
  const endsAt = performance.now() + closeTimeoutMs;
  while (openResources() !== openBefore) {
    if (performance.now() > endsAt) return openResources();
    await sleep(2);
  }
  return '';
}

function openResources(): string {
  const open = process.getActiveResourcesInfo().filter(name => name !== keptRead);
  return open.toSorted().join(' ');
}
