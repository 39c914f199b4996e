/** Bounds the connections of a process by its limit of open files (ulimit -n). */
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';

/** For the database, uploads and downloads in progress, and the process itself. */
const reservedFiles = 512;
/** The share of connections where the limit is lower than that. */
const minConnectionShare = 0.25;

/** Files that this process may open at once; null where the system has no limit, or does not report it. */
export function readOpenFileLimit(): number | null {
  if (process.platform !== 'linux') return null;
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? null : Number(soft);
}

/** Every connection is an open file: too many of them would leave none for an upload. */
export function connectionsWithinFileLimit(openFiles: number | null, wanted: number, log: Logger): number {
  if (openFiles === null) return wanted;
  const connections = Math.max(openFiles - reservedFiles, Math.floor(openFiles * minConnectionShare), 1);
  if (connections >= wanted) return wanted;
  log.warn(
    { openFiles, wanted, connections },
    'connection limit lowered: open file limit (ulimit -n) is too low',
  );
  return connections;
}
