/** `atelier mcp`: serves the gateway's tools to a language model on stdio. */
import type { Command } from 'commander';
import type { ClientCommandOptions } from './command-context.ts';

/** Adds `mcp`. */
export function registerMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve tools for a language model on stdio; started by the program that uses them')
    .option('--profile <name>', 'gateway and key to use: atelier profile ls')
    .action(async (options: ClientCommandOptions) => {
      // Imported here, so that other commands start without it.
      const { serveTools } = await import('./serve-tools.ts');
      await serveTools(options);
    });
}
