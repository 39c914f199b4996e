/** What an operator writes of an upstream in atelier.yaml, and what follows from it for calls. */

import { z } from 'zod';
import { hours, seconds } from '../../domain/clock.ts';
import type { ProviderTraits } from '../../domain/provider.ts';
import { pathTemplate, recordOf, reportFaults } from '../kit/body-template.ts';
import { declaredOutput } from '../kit/declared-outputs.ts';
import { singleValuePath } from '../kit/json-path.ts';

/** The classes of `error-table.ts`. */
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
/** What an upstream's code means here: the words of the error table. */
const errorClass = z.enum(errorClasses, { error: `must be one of ${errorClasses.join(', ')}` });
/** The upstream's code to its class; codes are compared as text. */
const codes = z.record(z.string().min(1), errorClass).default({});
/** A time that an operator writes: from 0 up to a bound, both included, so that every wait has an end. */
const numberUpTo = (longest: number) => z.number().min(0).max(longest);

/** Headers that the HTTP client sets in every call. */
const reservedHeaders = [
  ...['accept-encoding', 'connection', 'content-length', 'content-type', 'expect', 'host'],
  ...['keep-alive', 'transfer-encoding', 'upgrade', 'user-agent'],
];
/** A token of RFC 9110, and none of the headers that the client itself sets. */
const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, { error: 'must be the name of a header' })
  .refine(name => !reservedHeaders.includes(name.toLowerCase()), { error: 'is a header that cannot be set' });
/** One line of visible characters. */
const headerText = z
  .string()
  .max(1000)
  .regex(/^[\x20-\x7e]*$/, { error: 'must be plain ASCII' });

/** A call about one job, which the upstream knows by its id. */
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
        context.addIssue('must contain {id} in its path or its body');
    });

/** Where an error has its code and its sentence; either may be absent. */
const errorPaths = {
  code: singleValuePath.optional(),
  message: singleValuePath.optional(),
};

/** How the key is sent. */
const authSchema = z
  .strictObject({
    header: headerName.default('Authorization'),
    written: headerText
      .refine(text => text.split('{secret}').length === 2, { error: 'must contain {secret} once' })
      .default('Bearer {secret}'),
  })
  .prefault({});

/** Where an answer names results of one kind. */
const outputSchema = declaredOutput.extend({ form: z.enum(['address', 'base64']).default('address') });

/** What the upstream reports as used; units are those of prices. */
const usageSchema = z.strictObject({
  unit: z.enum(['second', 'image', 'character', 'token', 'credit', 'gpu_second']),
  at: singleValuePath,
});

/** How an answer reports an error. */
const errorSchema = z
  .strictObject({
    ...errorPaths,
    codes,
    /** Codes that are no error, such as `0` beside every good answer. */
    fine: z.array(z.string()).default([]),
    statuses: recordOf(z.string().regex(/^[45]\d\d$/), errorClass, 'must be 400 to 599').default({}),
  })
  .prefault({});

/** What makes a repeated submission free: a key in a header or in a field of the body. */
const dedupeSchema = z
  .strictObject({
    header: headerName.optional(),
    field: singleValuePath
      .refine(path => !path.includes('['), { error: 'must be names joined by dots' })
      .optional(),
    hours: numberUpTo(24 * 365).min(1),
  })
  .refine(({ header, field }) => (header === undefined) !== (field === undefined), {
    error: 'must have a header or a field, and not both',
  });

/** Timeouts and intervals, in seconds: of a submission, of a free call, before the first poll and between two. */
const timesSchema = z
  .strictObject({
    submit_seconds: numberUpTo(600).min(1).default(60),
    ask_seconds: numberUpTo(120).min(1).default(15),
    first_poll_seconds: numberUpTo(3600).default(2),
    poll_seconds: numberUpTo(600).min(0.2).default(1),
  })
  .prefault({});

/** Settings of an account: how an upstream with submit, poll and fetch is called, and where its answers have what. */
export const declarativeAccount = (secret: z.ZodType<string>) =>
  z
    .strictObject({
      base_url: z
        .url({ protocol: /^https?$/ })
        .refine(text => !/[?#@]/.test(text), { error: 'must have no ?, no # and no @' })
        .transform(text => text.replace(/\/+$/, '')),
      api_key: secret.optional(),
      auth: authSchema,
      /** Sent with every call. */
      headers: recordOf(headerName, headerText, 'must be the name of a header that can be set').default({}),
      submit: z.strictObject({
        method: z.enum(['POST', 'PUT']).default('POST'),
        path: pathTemplate('model'),
      }),
      /** Path of the job's id in the answer to a submission. */
      id: singleValuePath,
      poll: jobCallSchema('GET'),
      /** Path of the state in the answer to a poll, and what each of its values means. */
      state: z.strictObject({
        at: singleValuePath,
        words: z.record(z.string(), z.enum(['running', 'succeeded', 'failed', 'cancelled'])),
      }),
      /** The call that returns the results; absent where the answer to a poll has them. */
      result: jobCallSchema('GET').optional(),
      outputs: z.array(outputSchema).min(1).max(16),
      usage: z.array(usageSchema).max(16).default([]),
      error: errorSchema,
      /** Paths of the error of a failed job, where they differ from those of `error`. */
      failure: z.strictObject(errorPaths).optional(),
      cancel: jobCallSchema('POST')
        .safeExtend({ stops: z.boolean().default(false) })
        .optional(),
      /** Absent: a repeated submission is charged again. */
      dedupe: dedupeSchema.optional(),
      times: timesSchema,
    })
    .superRefine((account, context) => {
      for (const [message, ...path] of contradictionsIn(account))
        context.addIssue({ code: 'custom', message, path });
    });

/** What an account says against itself: a sentence and the path that it is about. */
function contradictionsIn({
  api_key: key,
  auth,
  headers,
  dedupe,
  state,
}: ContradictingSettings): readonly (readonly [message: string, ...path: string[]])[] {
  const keyHeader = key === undefined ? [] : [auth.header.toLowerCase()];
  const names = [...keyHeader, ...Object.keys(headers).map(name => name.toLowerCase())];
  const isTaken = dedupe?.header !== undefined && names.includes(dedupe.header.toLowerCase());
  return [
    ...(Object.values(state.words).includes('succeeded')
      ? []
      : [['must map at least one value to succeeded', 'state', 'words'] as const]),
    ...(new Set(names).size < names.length ? [['a header is set twice', 'headers'] as const] : []),
    ...(isTaken ? [['is already set by auth or headers', 'dedupe', 'header'] as const] : []),
  ];
}

/** Settings that are valid one by one and may contradict each other. */
interface ContradictingSettings {
  readonly api_key?: string | undefined;
  readonly auth: z.output<typeof authSchema>;
  readonly headers: Readonly<Record<string, string>>;
  readonly dedupe?: z.output<typeof dedupeSchema> | undefined;
  readonly state: { readonly words: Readonly<Record<string, string>> };
}

/** An account as its settings were read. */
export type DeclarativeAccount = z.output<ReturnType<typeof declarativeAccount>>;

/** The traits that follow from the settings. */
export const traitsOf = ({ dedupe, times }: DeclarativeAccount): ProviderTraits => ({
  dedupe: dedupe ? 'replay' : 'none',
  dedupeWindowMs: (dedupe?.hours ?? 0) * hours,
  submitTimeoutMs: times.submit_seconds * seconds,
  billable: true,
  minPollMs: times.poll_seconds * seconds,
});

/** The headers of every call: the key, and those of the settings. */
export const headersOf = ({ api_key: key, auth, headers }: DeclarativeAccount) => ({
  ...headers,
  ...(key !== undefined && { [auth.header]: auth.written.replace('{secret}', () => key) }),
});
