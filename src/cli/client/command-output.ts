import { toJson } from '../../domain/json.ts';
import { print } from '../print.ts';

export interface OutputOptions {
  readonly json?: true;
  readonly quiet?: true;
}

/** How a command speaks: results on stdout, everything else on stderr. */
export interface CommandOutput {
  /** Results are JSON: asked for, or nobody reads them. */
  readonly isJson: boolean;
  /** A person watches stderr, so a line may be drawn again. */
  readonly isInteractive: boolean;
  /** A line of talk; nothing with --quiet. */
  note(text: string): void;
  /** A result: as JSON in one line, or as these lines. */
  printResult(value: unknown, lines: () => readonly string[]): void;
}

export function openOutput({ json, quiet }: OutputOptions): CommandOutput {
  const isJson = json === true || !process.stdout.isTTY;
  // Machines that build things offer terminals, too.
  const isAlone = process.env.CI !== undefined && process.env.CI !== '';
  return {
    isJson,
    isInteractive: process.stderr.isTTY && !isAlone && !quiet,
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
