/** Limits that settings define and admission enforces. */

/** Maximum numbers of available jobs. */
export interface BacklogBounds {
  readonly perKey: number;
  /** Of all keys. */
  readonly inAll: number;
}

/** A token bucket. */
export interface RateLimit {
  /** Sustained requests per second. */
  readonly perSecond: number;
  /** Size of the bucket: requests at once after a pause. */
  readonly burst: number;
}

/** Maximum bytes of incoming files on the local disk. */
export interface SpoolLimits {
  /** Of all keys. */
  readonly bytesInAll: number;
  readonly bytesPerKey: number;
}

/** Limits of request bodies that are read and validated at once. */
export interface BodyLimits {
  /** Memory in bytes, of all keys. */
  readonly bytesInAll: number;
  readonly bytesPerKey: number;
  /** Number of bodies, of all keys. */
  readonly inAll: number;
  readonly perKey: number;
}
