/** Bytes, durations, times, costs and counts as text. */

/** In the format of the locale; amounts below 1 keep four decimals. */
export const formatCost = ({ amount, currency }: { readonly amount: number; readonly currency: string }) =>
  new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    maximumFractionDigits: amount > 0 && amount < 1 ? 4 : 2,
  }).format(amount);

/** `1.4 MB`; powers of 1024. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** power;
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power - 1]}`;
}

/** `340 ms`, `1.2 s`, `3 m 20 s`, `4 h 5 m`, `2 d 3 h`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return '0 s';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} m ${Math.floor((ms % 60_000) / 1_000)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} m` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `02:05`, minutes and seconds. */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}

/** `3 min ago`, `in 2 h`, `just now`. */
export function formatAgo(atSeconds: number, nowMs: number): string {
  const ms = nowMs - atSeconds * 1_000;
  const [size, isFuture] = [Math.abs(ms), ms < -999];
  const words = roughly(size);
  if (words === null) return isFuture ? 'in a moment' : 'just now';
  return isFuture ? `in ${words}` : `${words} ago`;
}

/** Null below five seconds. */
function roughly(ms: number): string | null {
  if (ms < 5_000) return null;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  if (ms < 48 * 3_600_000) return `${Math.floor(ms / 3_600_000)} h`;
  return `${Math.floor(ms / 86_400_000)} days`;
}

/** Date and time in the format of the locale. */
export const exactTime = (atSeconds: number): string =>
  new Date(atSeconds * 1_000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** `1 job`, `2 jobs`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

/** The last eight characters: ids begin with their time, so those of one hour begin alike. */
export const shortId = (id: string): string => `…${id.slice(-8)}`;
