import { timingSafeEqual } from 'node:crypto';

/** In a time that says nothing of where they differ; that they are of different lengths is no secret. */
export const areSameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

export const isSameText = (one: string, other: string): boolean =>
  areSameBytes(Buffer.from(one), Buffer.from(other));
