/** Options that all client commands share, and the rewriting of arguments that commander cannot parse. */
import type { Command } from 'commander';

/** Adds the options of every command that calls a gateway. */
export const withClientOptions = (command: Command): Command =>
  command
    .option('--json', 'print the result as JSON (the default when stdout is not a terminal)')
    .option('--quiet', 'print nothing but errors to stderr')
    .option('--profile <name>', 'gateway and key to use: atelier profile ls');

/** Parser of an option that may be given more than once. */
export const appendOption = (value: string, before: readonly string[]): readonly string[] => [
  ...before,
  value,
];

/**
 * Two forms that commander would parse differently: `--json @PATH` names an input, and a bare `--save` does not take
 * the argument that follows it.
 */
export function rewriteArguments(argv: readonly string[]): readonly string[] {
  return argv.flatMap((argument, index) => {
    if (argument === '--json' && argv[index + 1]?.startsWith('@')) return ['--json-input'];
    return argument === '--save' ? ['--save=.'] : [argument];
  });
}
