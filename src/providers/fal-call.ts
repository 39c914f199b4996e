import { z } from 'zod';

/** One call: the path below what the upstream calls the model, and the body. */
export interface FalCall {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** For what the upstream cannot do. */
export const no = z.literal(false);
export const noMark = z.strictObject({ enabled: no }).optional();
