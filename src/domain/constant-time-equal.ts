/** Comparison of secrets without a timing side channel. */
import { timingSafeEqual } from 'node:crypto';

/** The time does not reveal where they differ; different lengths are not secret. */
export const constantTimeEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

export const constantTimeEqualText = (one: string, other: string): boolean =>
  constantTimeEqual(Buffer.from(one), Buffer.from(other));
