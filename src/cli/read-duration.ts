/** Reads a duration of the command line. */
import { days, hours, minutes, seconds } from '../domain/clock.ts';
import { CommandError } from './command-error.ts';

/** Milliseconds of each unit. */
const units: Readonly<Record<string, number>> = { s: seconds, m: minutes, h: hours, d: days };

/** Milliseconds of 90s, 20m, 2h or 7d; `option` is named in the error. */
export function readDuration(text: string, option: string): number {
  const match = /^([1-9]\d{0,5})([smhd])$/.exec(text);
  if (!match) throw new CommandError(`${option} must be a time such as 90s, 20m, 2h or 7d`);
  return Number(match[1]) * units[match[2]!]!;
}
