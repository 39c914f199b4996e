import { z } from 'zod';
import { hours, seconds } from '../../domain/clock.ts';
import type { ProviderTraits } from '../../domain/provider.ts';
import { jsonPath, singleValuePath } from '../kit/json-path.ts';
import { pathTemplate, recordOf, reportFaults } from './template.ts';

/** The words of `error-table.ts`. */
const errorClasses = [
  'input',
  'moderation',
  'media',
  'pause',
  'account',
  'down',
  'unclear',
  'failed',
] as const;
const errorClass = z.enum(errorClasses, { error: `must be one of ${errorClasses.join(', ')}` });
const codes = z.record(z.string().min(1), errorClass).default({});
const numberUpTo = (longest: number) => z.number().min(0).max(longest);

/** What this gateway says itself in every call. */
const reservedHeaders = [
  ...['accept-encoding', 'connection', 'content-length', 'content-type', 'expect', 'host'],
  ...['keep-alive', 'transfer-encoding', 'upgrade', 'user-agent'],
];
const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: 'must be the name of a header' })
  .refine(name => !reservedHeaders.includes(name.toLowerCase()), { error: 'is a header that cannot be set' });
const headerText = z
  .string()
  .max(1000)
  .regex(/^[\x20-\x7e]*$/, { error: 'must be plain ASCII' });

/** A call about a job that is known there by its id. */
const jobCallSchema = (method: 'GET' | 'POST') =>
  z
    .strictObject({
      method: z.enum(['GET', 'POST', 'PUT', 'DELETE']).default(method),
      path: pathTemplate('id', 'model'),
      body: z.record(z.string().min(1), z.unknown()).optional(),
    })
    .superRefine(({ path, body }, context) => {
      reportFaults(context, { body }, ['id', 'model', 'key']);
      if (!JSON.stringify([path, body]).includes('{id}'))
        context.addIssue('must say {id} in its path or its body');
    });

const errorPaths = {
  code: singleValuePath.optional(),
  message: singleValuePath.optional(),
};

/** How an upstream of the common shape is described: submit, poll, fetch. */
export const declarativeAccount = (secret: z.ZodType<string>) =>
  z
    .strictObject({
      base_url: z
        .url({ protocol: /^https?$/ })
        .refine(text => !/[?#@]/.test(text), { error: 'must have no ?, no # and no @' })
        .transform(text => text.replace(/\/+$/, '')),
      api_key: secret.optional(),
      /** How the key is written. */
      auth: z
        .strictObject({
          header: headerName.default('Authorization'),
          written: headerText
            .refine(text => text.split('{secret}').length === 2, { error: 'must hold {secret} once' })
            .default('Bearer {secret}'),
        })
        .prefault({}),
      /** The same in every call. */
      headers: recordOf(headerName, headerText, 'must be the name of a header that can be set').default({}),
      submit: z.strictObject({
        method: z.enum(['POST', 'PUT']).default('POST'),
        path: pathTemplate('model'),
      }),
      /** Where the id of the job stands in the answer. */
      id: singleValuePath,
      poll: jobCallSchema('GET'),
      state: z.strictObject({
        at: singleValuePath,
        words: z.record(z.string(), z.enum(['running', 'succeeded', 'failed', 'cancelled'])),
      }),
      /** Where the results are asked for by themselves; absent where the answer to a poll has them. */
      result: jobCallSchema('GET').optional(),
      outputs: z
        .array(
          z.strictObject({
            at: jsonPath,
            form: z.enum(['address', 'base64']).default('address'),
            role: z
              .enum(['primary', 'watermarked', 'last_frame', 'grid', 'cover', 'subtitle'])
              .default('primary'),
            mime: z
              .string()
              .regex(/^[a-z]+\/[a-z0-9.+-]+$/, { error: 'must be a MIME type' })
              .default('application/octet-stream'),
          }),
        )
        .min(1)
        .max(16),
      usage: z
        .array(
          z.strictObject({
            unit: z.enum(['second', 'image', 'character', 'token', 'credit', 'gpu_second']),
            at: singleValuePath,
          }),
        )
        .max(16)
        .default([]),
      /** An answer that tells of an error. */
      error: z
        .strictObject({
          ...errorPaths,
          codes,
          /** Codes that are none: `0` beside every good answer. */
          fine: z.array(z.string()).default([]),
          statuses: recordOf(z.string().regex(/^[45]\d\d$/), errorClass, 'must be 400 to 599').default({}),
        })
        .prefault({}),
      /** The same of a job that failed, where that stands elsewhere. */
      failure: z.strictObject(errorPaths).optional(),
      cancel: jobCallSchema('POST')
        .safeExtend({ stops: z.boolean().default(false) })
        .optional(),
      /** What makes a second submission free; absent: nothing does. */
      dedupe: z
        .strictObject({
          header: headerName.optional(),
          field: singleValuePath
            .refine(place => !place.includes('['), { error: 'must be names joined by dots' })
            .optional(),
          hours: numberUpTo(24 * 365).min(1),
        })
        .refine(({ header, field }) => (header === undefined) !== (field === undefined), {
          error: 'must have a header or a field, and not both',
        })
        .optional(),
      times: z
        .strictObject({
          submit_seconds: numberUpTo(600).min(1).default(60),
          ask_seconds: numberUpTo(120).min(1).default(15),
          first_poll_seconds: numberUpTo(3600).default(2),
          poll_seconds: numberUpTo(600).min(0.2).default(1),
        })
        .prefault({}),
    })
    .superRefine(({ api_key: key, auth, headers, dedupe, state }, context) => {
      const fault = (message: string, ...path: readonly string[]) =>
        context.addIssue({ code: 'custom', message, path: [...path] });
      if (!Object.values(state.words).includes('succeeded'))
        fault('must have a word that means succeeded', 'state', 'words');
      const isKeyed = key === undefined ? [] : [auth.header.toLowerCase()];
      const taken = [...isKeyed, ...Object.keys(headers).map(name => name.toLowerCase())];
      if (new Set(taken).size < taken.length) fault('a header is set twice', 'headers');
      if (dedupe?.header !== undefined && taken.includes(dedupe.header.toLowerCase()))
        fault('is set already', 'dedupe', 'header');
    });
export type DeclarativeAccount = z.output<ReturnType<typeof declarativeAccount>>;

export const traitsOf = ({ dedupe, times }: DeclarativeAccount): ProviderTraits => ({
  dedupe: dedupe ? 'replay' : 'none',
  dedupeWindowMs: (dedupe?.hours ?? 0) * hours,
  submitTimeoutMs: times.submit_seconds * seconds,
  billable: true,
  minPollMs: times.poll_seconds * seconds,
});

/** What goes with every call: the key, and what the operator says. */
export const headersOf = ({ api_key: key, auth, headers }: DeclarativeAccount) => ({
  ...headers,
  ...(key !== undefined && { [auth.header]: auth.written.replace('{secret}', () => key) }),
});
