/** The commands that call a gateway as any client does. */
import type { Command } from 'commander';
import { registerFiles } from './files.ts';
import { registerJobs } from './jobs.ts';
import { registerLogin } from './login.ts';
import { registerMcp } from './mcp.ts';
import { registerModels } from './models.ts';
import { registerOpen } from './open.ts';
import { registerRun } from './run.ts';
import { registerTypes } from './types.ts';

/** Adds every client command. They load nothing of the gateway, so that they start fast. */
export function registerClientCommands(program: Command): void {
  registerRun(program);
  registerJobs(program);
  registerModels(program);
  registerFiles(program);
  registerMcp(program);
  registerTypes(program);
  registerLogin(program);
  registerOpen(program);
}
