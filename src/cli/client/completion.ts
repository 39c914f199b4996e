import type { Command } from 'commander';
import { models } from '../../catalog/index.ts';
import { CommandFault } from '../command-fault.ts';
import { print } from '../print.ts';

/** Registered last: it knows every command that stands before it. */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description('a script that completes commands in a shell: eval "$(atelier completion bash)"')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => print(completionOf(shell, program)));
}

function completionOf(shell: string, program: Command): string {
  const script = new Map([
    ['bash', bash],
    ['zsh', zsh],
    ['fish', fish],
  ]).get(shell);
  if (!script) throw new CommandFault('The shell must be bash, zsh or fish');
  return script(placesIn(program, []));
}

/** What may follow some words of a command line. */
interface Place {
  readonly words: readonly string[];
  readonly next: readonly string[];
}

function placesIn(command: Command, words: readonly string[]): readonly Place[] {
  const options = command.options.map(({ long }) => long ?? '').filter(long => long !== '');
  const names = command.commands.map(inner => inner.name());
  const takesModel = command.registeredArguments[0]?.name() === 'model';
  const next = [...names, ...(takesModel ? models.map(({ id }) => id) : []), ...options];
  const inner = command.commands.flatMap(one => placesIn(one, [...words, one.name()]));
  return [{ words, next }, ...inner];
}

/** The longest place that the words begin with: what is an argument there changes nothing. */
const cases = (places: readonly Place[], answer: (next: string) => string): string =>
  places
    .toSorted((a, b) => b.words.length - a.words.length)
    .map(
      ({ words, next }) => `    ' ${words.map(word => `${word} `).join('')}'*) ${answer(next.join(' '))} ;;`,
    )
    .join('\n');

const bash = (places: readonly Place[]): string => `_atelier() {
  local word said=' ' next=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) said+="$word " ;; esac
  done
  case $said in
${cases(places, next => `next='${next}'`)}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _atelier atelier`;

const zsh = (places: readonly Place[]): string => `#compdef atelier
_atelier() {
  local word said=' '
  local -a next
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in -*) ;; *) said+="$word " ;; esac
  done
  case $said in
${cases(places, next => `next=(${next})`)}
  esac
  compadd -- $next || _files
}
compdef _atelier atelier`;

const fish = (places: readonly Place[]): string => `function __atelier_next
  set -l said ' '
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; or set said "$said$word "
  end
  switch $said
${places
  .toSorted((a, b) => b.words.length - a.words.length)
  .map(
    ({ words, next }) =>
      `    case ' ${words.map(word => `${word} `).join('')}*'\n      printf '%s\\n' ${next.join(' ')}`,
  )
  .join('\n')}
  end
end
complete -c atelier -a '(__atelier_next)'`;
