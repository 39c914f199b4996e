import type { Command } from 'commander';
import { registerFiles } from './files.ts';
import { registerJobs } from './jobs.ts';
import { registerLogin } from './login.ts';
import { registerMcp } from './mcp.ts';
import { registerModels } from './models.ts';
import { registerRun } from './run.ts';

/** Every command that asks a gateway as its clients do. They load nothing of the gateway itself. */
export function registerClientCommands(program: Command): void {
  registerRun(program);
  registerJobs(program);
  registerModels(program);
  registerFiles(program);
  registerMcp(program);
  registerLogin(program);
}
