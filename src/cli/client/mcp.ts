import type { Command } from 'commander';
import type { ClientCommandOptions } from './command-context.ts';

export function registerMcp(program: Command): void {
  program
    .command('mcp')
    .description('tools for a language model, on stdio; started by the program that uses them')
    .option('--profile <name>', 'whom to ask, and as whom: atelier profile ls')
    .action(async (options: ClientCommandOptions) => {
      // What only this command needs is no part of the start of the others.
      const { serveTools } = await import('./serve-tools.ts');
      await serveTools(options);
    });
}
