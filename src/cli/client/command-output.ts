/** Output of client commands: results on stdout, messages on stderr. */
import { toJson } from '../../domain/json.ts';
import { print } from '../print.ts';

/** Options that decide what is printed. */
export interface OutputOptions {
  readonly json?: true;
  /** Leaves out messages, not errors. */
  readonly quiet?: true;
}

/** Results go to stdout, everything else to stderr. */
export interface CommandOutput {
  /** Results are JSON: by option, or because stdout is not a terminal. */
  readonly isJson: boolean;
  /** stderr is a terminal with a person, so a line may be redrawn. */
  readonly isInteractive: boolean;
  /** A message on stderr; omitted with --quiet. */
  note(text: string): void;
  /** A result: as JSON in one line, or as these lines. */
  printResult(value: unknown, lines: () => readonly string[]): void;
}

/** Decides once whether output is for a person or for a program. */
export function openOutput({ json, quiet }: OutputOptions): CommandOutput {
  const isJson = json === true || !process.stdout.isTTY;
  // CI systems offer a terminal without a person.
  const isCi = process.env.CI !== undefined && process.env.CI !== '';
  return {
    isJson,
    isInteractive: process.stderr.isTTY && !isCi && !quiet,
    note(text) {
      if (!quiet) process.stderr.write(`${text}\n`);
    },
    printResult(value, lines) {
      if (isJson) print(toJson(value));
      else for (const line of lines()) print(line);
    },
  };
}

/** Rows as lines, each column as wide as its widest cell. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]!.length)));
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
