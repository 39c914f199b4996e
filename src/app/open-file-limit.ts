import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';

/** For the database, uploads and downloads on their way, and what the process itself has open. */
const reservedFiles = 512;
/** Where the limit is lower than that, connections have this share of it. */
const minConnectionShare = 0.25;

/** How many files this process may have open at one moment; null where the system does not say, or sets no limit. */
export function readOpenFileLimit(): number | null {
  if (process.platform !== 'linux') return null;
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? null : Number(soft);
}

/** Every connection is an open file: more of them than fit would leave none for an upload. */
export function connectionsWithinFileLimit(openFiles: number | null, wanted: number, log: Logger): number {
  if (openFiles === null) return wanted;
  const room = Math.max(openFiles - reservedFiles, Math.floor(openFiles * minConnectionShare), 1);
  if (room >= wanted) return wanted;
  log.warn({ openFiles, wanted, connections: room }, 'connections are bounded by the limit of open files');
  return room;
}
