/** `atelier completion`: a script for bash, zsh or fish that completes commands, models and options. */
import type { Command } from 'commander';
import { models } from '../../catalog/index.ts';
import { CommandError } from '../command-error.ts';
import { print } from '../print.ts';

/** Registered last: it completes the commands that were registered before it. */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands in a shell: eval "$(atelier completion bash)"')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => print(completionOf(shell, program)));
}

/** The script of one shell. */
function completionOf(shell: string, program: Command): string {
  const script = new Map([
    ['bash', bash],
    ['zsh', zsh],
    ['fish', fish],
  ]).get(shell);
  if (!script) throw new CommandError('The shell must be bash, zsh or fish');
  return script(completionContexts(program, []));
}

/** What may follow these words of a command line. */
interface CompletionContext {
  /** Command and subcommand, without options. */
  readonly words: readonly string[];
  /** Subcommands, models and options. */
  readonly candidates: readonly string[];
}

/** One context for the command and for each of its subcommands. */
function completionContexts(command: Command, words: readonly string[]): readonly CompletionContext[] {
  const options = command.options.map(({ long }) => long ?? '').filter(long => long !== '');
  const names = command.commands.map(inner => inner.name());
  // Commands whose first argument is a model complete model ids.
  const takesModel = command.registeredArguments[0]?.name() === 'model';
  const candidates = [...names, ...(takesModel ? models.map(({ id }) => id) : []), ...options];
  const inner = command.commands.flatMap(one => completionContexts(one, [...words, one.name()]));
  return [{ words, candidates }, ...inner];
}

/** Cases from the longest context to the shortest: the first that the words begin with wins, arguments are ignored. */
const shellCases = (contexts: readonly CompletionContext[], caseBody: (next: string) => string): string =>
  contexts
    .toSorted((a, b) => b.words.length - a.words.length)
    .map(
      ({ words, candidates }) =>
        `    ' ${words.map(word => `${word} `).join('')}'*) ${caseBody(candidates.join(' '))} ;;`,
    )
    .join('\n');

/** The scripts skip options and match the remaining words against the contexts. */
const bash = (contexts: readonly CompletionContext[]): string => `_atelier() {
  local word words_so_far=' ' next=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) words_so_far+="$word " ;; esac
  done
  case $words_so_far in
${shellCases(contexts, next => `next='${next}'`)}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _atelier atelier`;

/** Completes file names where no word fits. */
const zsh = (contexts: readonly CompletionContext[]): string => `#compdef atelier
_atelier() {
  local word words_so_far=' '
  local -a next
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in -*) ;; *) words_so_far+="$word " ;; esac
  done
  case $words_so_far in
${shellCases(contexts, next => `next=(${next})`)}
  esac
  compadd -- $next || _files
}
compdef _atelier atelier`;

/** Its own `switch` takes the first case that matches, as the others do. */
const fish = (contexts: readonly CompletionContext[]): string => `function __atelier_next
  set -l words_so_far ' '
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; or set words_so_far "$words_so_far$word "
  end
  switch $words_so_far
${contexts
  .toSorted((a, b) => b.words.length - a.words.length)
  .map(
    ({ words, candidates }) =>
      `    case ' ${words.map(word => `${word} `).join('')}*'\n      printf '%s\\n' ${candidates.join(' ')}`,
  )
  .join('\n')}
  end
end
complete -c atelier -a '(__atelier_next)'`;
