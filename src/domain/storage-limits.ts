/** Limits of stored files, and sizes as people write them. */

/** Maximum bytes of stored files: uploads, inputs and outputs. */
export interface StorageLimits {
  /** Of one key. */
  readonly perKey: number;
  /** Of all the keys of one user. */
  readonly perUser: number;
  /** Of all users: bytes, or a share (0 to 1) of the disk with the blobs. */
  readonly inAll: { readonly bytes: number } | { readonly shareOfDisk: number };
}

const powers: Readonly<Record<string, number>> = { KB: 1, MB: 2, GB: 3, TB: 4 };
const units = Object.keys(powers);
/** How a size is written: `500MB`. */
export const sizePattern = /^(\d+(?:\.\d+)?)(KB|MB|GB|TB)$/;

/** Bytes of `500MB` or `1.5GB`, each unit 1024 of the one before; null for anything else. */
export function parseSize(text: string): number | null {
  const [, figure, unit = ''] = sizePattern.exec(text) ?? [];
  const power = powers[unit];
  return power === undefined ? null : Math.round(Number(figure) * 1024 ** power);
}

/** A size as written in settings: `20GB`. At most one decimal, rounded down. */
export function sizeText(bytes: number): string {
  const power = Math.min(units.length, Math.max(1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  return `${Math.floor((bytes / 1024 ** power) * 10) / 10}${units[power - 1]}`;
}
