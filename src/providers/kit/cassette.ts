/** Cassettes: one job at an upstream as requests and answers, and what the provider made of them. */
import { z } from 'zod';
import { drivenOutcome } from './drive-job.ts';

const headers = z.record(z.string(), z.string());

/** The address of the account, where it stands in a request or an answer. */
export const basePlaceholder = '{base}';

/** One file of `test/replies/<provider>/`. */
export const cassetteSchema = z.strictObject({
  provider: z.string(),
  /** Where the answers come from: a job that was made, facts of a public document, or an upstream that is made up. */
  source: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('recorded'), at: z.iso.date() }),
    z.strictObject({
      kind: z.literal('published'),
      at: z.iso.date(),
      url: z.url(),
      /** What was read, and what of it is not in the document. */
      note: z.string(),
    }),
    z.strictObject({ kind: z.literal('made-up'), at: z.iso.date(), note: z.string() }),
  ]),
  model: z.string(),
  upstreamModel: z.string(),
  /** Settings of the account beside its address and secrets. */
  settings: z.record(z.string(), z.json()).default({}),
  /** Options of the route. */
  routeOptions: z.record(z.string(), z.json()).default({}),
  /** As the model's schema accepts it. */
  input: z.json(),
  /** The key of the attempt: some upstreams repeat it, or have it in an address. */
  dedupeKey: z.string(),
  exchanges: z
    .array(
      z.strictObject({
        request: z.strictObject({
          method: z.string(),
          path: z.string(),
          headers: headers.default({}),
          /** Compared with what the provider sends, where it is there. */
          body: z.json().optional(),
        }),
        answer: z.union([
          z.strictObject({ status: z.int(), headers: headers.default({}), body: z.json() }),
          z.strictObject({ broken: z.string() }),
        ]),
      }),
    )
    .min(1),
  /** What the provider makes of these answers. */
  outcome: drivenOutcome,
});
export type Cassette = z.output<typeof cassetteSchema>;
