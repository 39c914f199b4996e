import type { Command } from 'commander';

/** Adds what every command takes that asks a gateway. */
export const withClientOptions = (command: Command): Command =>
  command
    .option('--json', 'the result as JSON, as it is when it is piped')
    .option('--quiet', 'no talk on stderr but failures')
    .option('--profile <name>', 'whom to ask, and as whom: atelier profile ls');

/** For an option that may be given more than once. */
export const appendOption = (value: string, before: readonly string[]): readonly string[] => [
  ...before,
  value,
];

/**
 * Two ways to write an option that its parser would take otherwise: `--json @PATH` names an input, and a bare
 * `--save` takes nothing of what follows it.
 */
export function rewriteArguments(argv: readonly string[]): readonly string[] {
  return argv.flatMap((argument, index) => {
    if (argument === '--json' && argv[index + 1]?.startsWith('@')) return ['--json-input'];
    return argument === '--save' ? ['--save=.'] : [argument];
  });
}
