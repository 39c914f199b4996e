export interface BacklogBounds {
  /** Jobs of one key that may wait. */
  readonly perKey: number;
  /** Jobs that may wait, of all keys. */
  readonly inAll: number;
}

export interface RateLimit {
  /** Requests a second that a key may go on making. */
  readonly perSecond: number;
  /** Requests that may come at once after a pause. */
  readonly burst: number;
}

export interface SpoolLimits {
  /** Bytes on the disk of files that are on their way in. */
  readonly bytesInAll: number;
  readonly bytesPerKey: number;
}

export interface BodyLimits {
  /** Bytes of memory for the bodies that are read and judged at one moment. */
  readonly bytesInAll: number;
  readonly bytesPerKey: number;
  /** How many of them there may be at one moment. */
  readonly inAll: number;
  readonly perKey: number;
}
