/** The log of every command: JSON lines on stderr, with secrets redacted. */
import { type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';

/** Paths of secrets in a logged object. */
const secretPaths = [
  'authorization',
  '*.authorization',
  'headers.authorization',
  '*.key',
  '*.secret',
  '*.token',
];

/** JSON lines on stderr; formatted for people where stderr is a terminal. */
export async function openLog({ logLevel }: Pick<Config, 'logLevel'>): Promise<Logger> {
  const options = { level: logLevel, redact: secretPaths, base: null };
  if (!process.stderr.isTTY) return pino(options, pino.destination(2));
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ destination: 2, sync: true, translateTime: 'HH:MM:ss' }));
}
