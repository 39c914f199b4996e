/** What a mapping for fal writes: an endpoint and a body. */

import { z } from 'zod';

/** One call: the path below what the upstream calls the model, and the body. */
export interface FalCall {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** For what the upstream cannot do. */
export const mustBeFalse = z.literal(false);
/** A `watermark_info` that requests none. */
export const noWatermark = z.strictObject({ enabled: mustBeFalse }).optional();
