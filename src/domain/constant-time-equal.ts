import { timingSafeEqual } from 'node:crypto';

/** In a time that says nothing of where they differ; that they are of different lengths is no secret. */
export const constantTimeEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

export const constantTimeEqualText = (one: string, other: string): boolean =>
  constantTimeEqual(Buffer.from(one), Buffer.from(other));
