/** A piece of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

const text: Json = { type: 'string' };
const url: Json = { type: 'string', format: 'uri' };
const integer: Json = { type: 'integer' };
const number: Json = { type: 'number' };
const unixSeconds: Json = { type: 'integer', description: 'Unix time in seconds.' };
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Every member is required unless `optional` names it. */
function record(properties: Json, optional: readonly string[] = []): Json {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter(name => !optional.includes(name)),
  };
}

const addresses = { response_url: url, status_url: url, cancel_url: url };
const status: Json = { enum: ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'] };
const nullable = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] });

const fileUrl: Json = {
  anyOf: [url, { type: 'null' }],
  description: 'Signed for a day; null once the file was deleted.',
};
const output = record({ url: fileUrl, content_type: text, file_name: text, file_size: integer });
const withOutput = (properties: Json): Json => ({ allOf: [output, record(properties)] });
const sides = { width: integer, height: integer };

/** The bodies that every model shares. */
export const schemas: Json = {
  Handle: record({ request_id: text, ...addresses, queue_position: integer }),
  Status: {
    ...record(
      {
        status,
        request_id: text,
        model: text,
        external_task_id: text,
        queue_position: integer,
        ...addresses,
        logs: nullable({ type: 'array', items: ref('LogLine') }),
        progress: { type: 'number', minimum: 0, maximum: 1 },
        metrics: ref('Metrics'),
        error: nullable(ref('JobError')),
        error_type: text,
        created_at: unixSeconds,
        started_at: unixSeconds,
        completed_at: unixSeconds,
      },
      [
        'model',
        'external_task_id',
        'queue_position',
        'logs',
        'progress',
        'metrics',
        'error',
        'error_type',
        'started_at',
        'completed_at',
      ],
    ),
    description:
      'While the job is unfinished, with its model and the keys that the users of the model’s family know of a task. `progress` and `started_at` are absent until they are known.',
  },
  OwnJob: {
    allOf: [
      ref('Status'),
      record({ model: text, external_task_id: text, input: { type: 'object' } }, [
        'external_task_id',
        'input',
      ]),
    ],
  },
  LogLine: record({
    timestamp: { type: 'string', format: 'date-time' },
    level: { enum: ['INFO', 'WARN', 'ERROR'] },
    source: text,
    message: text,
  }),
  Metrics: record({ inference_time: { type: 'number', description: 'Seconds.' } }),
  JobError: record(
    {
      code: {
        enum: [
          'runtime_error',
          'invalid_input',
          'file_download_error',
          'file_invalid',
          'content_policy_violation',
          'provider_unavailable',
          'submission_uncertain',
          'expired',
          'cancelled',
          'response_too_large',
          'internal_error',
        ],
      },
      message: text,
      retryable: { type: 'boolean' },
      provider: record({ code: text, message: text }),
    },
    ['provider'],
  ),
  Result: {
    ...record(
      {
        request_id: text,
        status: { const: 'COMPLETED' },
        error: nullable(ref('JobError')),
        model: text,
        external_task_id: text,
        created_at: unixSeconds,
        started_at: unixSeconds,
        completed_at: unixSeconds,
        metrics: ref('Metrics'),
        duration: { type: 'number', description: 'Seconds that the video really has.' },
        video: withOutput({ ...sides, duration: number, fps: number }),
        watermarked_url: fileUrl,
        last_frame: record({ url: fileUrl, content_type: text, ...sides }),
        images: { type: 'array', items: withOutput({ index: integer, ...sides }) },
        audio: withOutput({ duration: number, sample_rate: integer, channels: integer }),
      },
      [
        'external_task_id',
        'started_at',
        'duration',
        'video',
        'watermarked_url',
        'last_frame',
        'images',
        'audio',
      ],
    ),
    description: 'The same for all models, beside the keys that the users of the model’s family know.',
  },
  Cancellation: record({
    status: { enum: ['OK', 'CANCELLATION_REQUESTED', 'ALREADY_COMPLETED'] },
    request_id: text,
  }),
  CallbackSecret: record({ key: { type: 'string', description: 'whsec_…' } }),
  File: record(
    {
      id: text,
      object: { const: 'file' },
      filename: text,
      bytes: integer,
      mime_type: text,
      file_type: { enum: ['image', 'audio', 'video', 'document', 'text'] },
      source: text,
      dimensions: nullable(record(sides)),
      storage_policy: { const: 'temporary' },
      created_at: unixSeconds,
      expires_at: unixSeconds,
      url,
      purpose: text,
      status: text,
    },
    ['purpose', 'status'],
  ),
  Deletion: record({ id: text, object: { const: 'file' }, deleted: { const: true } }),
  Model: record(
    {
      id: text,
      object: { const: 'model' },
      owned_by: text,
      kind: { enum: ['video', 'image', 'speech'] },
      family: text,
      title: text,
      summary: text,
      accepts_callback: { type: 'boolean' },
      limits: record({ max_body_bytes: integer }),
      input_schema: { type: 'object' },
      rules: { type: 'array', items: record({ says: text, fields: { type: 'array', items: text } }) },
      examples: { type: 'array', items: { type: 'object' } },
    },
    ['limits', 'input_schema', 'rules', 'examples'],
  ),
  Validation: record({
    object: { const: 'validation' },
    model: text,
    valid: { const: true },
    billed_jobs: integer,
  }),
  List: record(
    {
      object: { const: 'list' },
      data: { type: 'array' },
      first_id: nullable(text),
      last_id: nullable(text),
      has_more: { type: 'boolean' },
    },
    ['first_id', 'last_id', 'has_more'],
  ),
  GatewayError: record({ error: record({ code: text, message: text }), request_id: text }),
  DetailError: record({ detail: text }),
  FileError: record({ error: record({ message: text, type: text, param: nullable(text), code: text }) }),
};
