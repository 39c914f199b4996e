/** Questions of a command to the person at its terminal; they go to stderr, because stdout is for results. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from './command-error.ts';

export interface Prompts {
  /** An answer without spaces around it; `usual` where it is empty. `option` is what gives it without a terminal. */
  ask(question: string, option: string, usual?: string): Promise<string>;
  /** The same, without showing what is typed. */
  askSecret(question: string, option: string, usual?: string): Promise<string>;
  /** Whether the answer is y or yes; an empty one is no. */
  confirm(question: string): Promise<boolean>;
  close(): void;
}

/** Where there is no terminal, a question throws `CommandError` that names the option in its place. */
export function openPrompts(): Prompts {
  const isTerminal = process.stdin.isTTY;
  let isMuted = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isMuted) process.stderr.write(chunk);
      done();
    },
  });
  const lines = isTerminal ? createInterface({ input: process.stdin, output, terminal: true }) : null;
  const question = async (text: string, option: string, usual = ''): Promise<string> => {
    if (!lines) throw new CommandError(`${option} is required when stdin is not a terminal`);
    // Written here, so that a muted answer still has its question.
    process.stderr.write(`${text}${usual === '' ? '' : ` [${usual}]`}: `);
    return (await lines.question('')).trim() || usual;
  };
  return {
    ask: question,
    async askSecret(text, option, usual) {
      isMuted = true;
      try {
        return await question(text, option, usual);
      } finally {
        isMuted = false;
        if (lines) process.stderr.write('\n');
      }
    },
    confirm: async text => /^y(es)?$/i.test(await question(`${text} [y/N]`, '--yes')),
    close: () => lines?.close(),
  };
}
