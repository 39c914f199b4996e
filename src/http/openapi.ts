import { models as catalog } from '../catalog/index.ts';
import type { Model } from '../catalog/model.ts';
import { publishedSchema } from '../catalog/published-schema.ts';
import { answer, json, ref, refused } from './openapi-answers.ts';
import { type Json, schemas } from './openapi-schemas.ts';

/** OpenAPI 3.1 of the whole protocol, from the same sources as the program: catalog and refusal table. */
export function openApi(publicUrl: string, models: readonly Model[] = catalog): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Atelier',
      version: '1.0.0',
      summary: 'One asynchronous job queue and one file endpoint in front of generative models.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ key: [] }],
    tags: [
      { name: 'Create', description: 'A creation for each model.' },
      { name: 'Jobs', description: 'Status, result, cancel and lookup, the same for every model.' },
      { name: 'Callbacks', description: 'What notices to `callback_url` are signed with.' },
      { name: 'Files', description: 'Uploads and their signed addresses.' },
      { name: 'Models', description: 'What there is, what it takes, and a dry run.' },
    ],
    paths: {
      ...Object.fromEntries(models.map(createPath)),
      ...jobPaths,
      ...callbackPaths,
      ...filePaths,
      ...modelPaths,
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key, atl_…' } },
      schemas: {
        ...Object.fromEntries(models.map(model => [`${model.id}.input`, inputSchema(model)])),
        ...schemas,
      },
    },
  };
}

const listOf = (name: string): Json => ({
  allOf: [ref('List'), { type: 'object', properties: { data: { type: 'array', items: ref(name) } } }],
});

const keyRefusals = ['key_missing', 'rate_exceeded'] as const;
const readRefusals = [...keyRefusals, 'scope_jobs_read'] as const;
const fileRefusals = ['key_missing', 'scope_files'] as const;

/** The schema of an input; what is ours beside JSON Schema gets the prefix that the standard asks for. */
const inputSchema = (model: Model): Json => {
  const { $schema: _, ...schema } = publishedSchema(model.schema);
  const rules = [...model.rules, ...model.mediaRules].map(rule => rule.says);
  return {
    ...(prefixExtensions(schema) as Json),
    title: model.title,
    description: [model.summary, ...rules].join('\n\n- '),
    examples: model.examples,
  };
};

const extensionKeywords: ReadonlySet<string> = new Set([
  'media',
  'unit',
  'widget',
  'group',
  'requiredUnless',
]);

function prefixExtensions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prefixExtensions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      // The names of properties are the contract's, whatever they are.
      if (key === 'properties' && typeof member === 'object' && member !== null) {
        return [
          key,
          Object.fromEntries(
            Object.entries(member).map(([name, property]) => [name, prefixExtensions(property)]),
          ),
        ];
      }
      return extensionKeywords.has(key) ? [`x-${key}`, member] : [key, prefixExtensions(member)];
    }),
  );
}

function createPath(model: Model): [string, Json] {
  const post = {
    tags: ['Create'],
    operationId: `create ${model.id}`.replace(/[^a-zA-Z0-9]+(.)/g, (_, letter: string) =>
      letter.toUpperCase(),
    ),
    summary: model.title,
    description: model.summary,
    parameters: [
      header(
        'Idempotency-Key',
        'The same key with the same body answers the first handle again, for 24 hours.',
      ),
      header('Cancel-After', 'A deadline such as 90s, 5m or 3600; after it the job ends as expired.'),
    ],
    requestBody: { required: true, content: json(ref(`${model.id}.input`)) },
    responses: {
      '200': answer('The job is kept; this is its handle.', ref('Handle')),
      ...refused(
        ...keyRefusals,
        'scope_jobs_create',
        'model_unknown',
        'model_forbidden',
        'webhook_unsupported',
        'body_not_object',
        'body_too_large',
        'content_type_unsupported',
        'input_invalid',
        'bodies_of_key_full',
        'waiting_of_key_full',
        'unavailable',
      ),
    },
  };
  return [`/v1/queue/${model.id}`, { post }];
}

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});
const inPath = (name: string): Json => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const inQuery = (name: string, schema: Json): Json => ({ name, in: 'query', schema });
const prefer = header(
  'Prefer',
  '`wait=N` holds the answer until the status changes or N seconds pass; more than 60 is 60, and `Preference-Applied` says what was applied.',
);

const jobParameters = [inPath('model_id'), inPath('request_id')];
const job = '/v1/queue/{model_id}/requests/{request_id}';

const jobFilters = [
  inQuery('external_task_id', { type: 'string' }),
  inQuery('status', { enum: ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'] }),
  inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
  inQuery('after', { type: 'string' }),
];

const jobPaths: Json = {
  '/v1/jobs': {
    get: operation('Jobs', 'listOwnJobs', 'One’s own jobs of every model, newest first', {
      parameters: [inQuery('model', { type: 'string' }), inQuery('since', { type: 'string' }), ...jobFilters],
      responses: { '200': answer('A page.', listOf('OwnJob')), ...refused(...readRefusals, 'input_invalid') },
    }),
  },
  '/v1/jobs/{request_id}': {
    get: operation('Jobs', 'getOwnJob', 'A job by its id alone, with the input that was kept', {
      parameters: [inPath('request_id')],
      responses: { '200': answer('The job.', ref('OwnJob')), ...refused(...readRefusals, 'job_unknown') },
    }),
  },
  '/v1/queue/{model_id}/requests': {
    get: operation('Jobs', 'listJobs', 'One’s own jobs of a model, newest first', {
      parameters: [inPath('model_id'), ...jobFilters],
      responses: {
        '200': answer('A page.', listOf('Status')),
        ...refused(...readRefusals, 'model_unknown', 'input_invalid'),
      },
    }),
  },
  [`${job}/status`]: {
    get: operation('Jobs', 'getStatus', 'The status of a job', {
      parameters: [...jobParameters, inQuery('logs', { enum: ['1', 'true'] }), prefer],
      responses: {
        '200': answer('In every state.', ref('Status')),
        ...refused(...readRefusals, 'model_unknown', 'job_unknown'),
      },
    }),
  },
  [`${job}/response`]: {
    get: operation('Jobs', 'getResponse', 'The result of a job', {
      parameters: [...jobParameters, prefer],
      responses: {
        '200': answer('The job is COMPLETED; `error` tells success from failure.', ref('Result')),
        '202': answer('The job is not finished.', ref('Status')),
        ...refused(...readRefusals, 'model_unknown', 'job_unknown'),
      },
    }),
  },
  [`${job}/cancel`]: {
    put: operation('Jobs', 'cancelJob', 'Ends a waiting job, asks a running one to stop', {
      parameters: jobParameters,
      responses: {
        '200': answer('It waited, and is cancelled.', ref('Cancellation')),
        '202': answer('It runs; the provider is asked to stop.', ref('Cancellation')),
        '400': answer('It was already COMPLETED.', ref('Cancellation')),
        ...refused(...keyRefusals, 'scope_jobs_create', 'model_unknown', 'job_unknown'),
      },
    }),
  },
};

const callbackPaths: Json = {
  '/v1/webhooks/default/secret': {
    get: operation('Callbacks', 'getCallbackSecret', 'The secret that one’s own callbacks are signed with', {
      responses: {
        '200': answer('For a verifier of Standard Webhooks.', ref('CallbackSecret')),
        ...refused(...keyRefusals, 'scope_webhook_secret'),
      },
    }),
  },
};

const file = '/v1/files/{file_id}';

const filePaths: Json = {
  '/v1/files': {
    post: operation('Files', 'uploadFile', 'Keeps one file for seven days', {
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              required: ['file'],
              properties: { file: { type: 'string', format: 'binary' } },
            },
          },
          ...json({
            type: 'object',
            required: ['data', 'mime_type'],
            properties: {
              data: { type: 'string', description: 'Base64, or a data URL.' },
              mime_type: { type: 'string' },
              filename: { type: 'string' },
            },
          }),
        },
      },
      responses: {
        '200': answer('The file.', ref('File')),
        ...refused(
          ...fileRefusals,
          'file_required',
          'file_too_large',
          'upload_rate_exceeded',
          'file_unavailable',
          'storage_unavailable',
        ),
      },
    }),
    get: operation('Files', 'listFiles', 'One’s own uploads', {
      parameters: [
        inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
        inQuery('order', { enum: ['asc', 'desc'], default: 'desc' }),
        inQuery('after', { type: 'string' }),
      ],
      responses: {
        '200': answer('A page.', listOf('File')),
        ...refused(...fileRefusals, 'file_request_invalid'),
      },
    }),
  },
  [file]: {
    get: operation('Files', 'getFile', 'A file, with a fresh address', {
      parameters: [inPath('file_id')],
      responses: { '200': answer('The file.', ref('File')), ...refused(...fileRefusals, 'file_not_found') },
    }),
    delete: operation('Files', 'deleteFile', 'Ends a file', {
      parameters: [inPath('file_id')],
      responses: {
        '200': answer('It is gone.', ref('Deletion')),
        ...refused(...fileRefusals, 'file_not_found'),
      },
    }),
  },
  [`${file}/content`]: {
    get: operation('Files', 'getFileContent', 'On to the signed address', {
      parameters: [inPath('file_id')],
      responses: {
        '302': { description: 'Location is the signed address.' },
        ...refused(...fileRefusals, 'file_not_found'),
      },
    }),
  },
};

const modelPaths: Json = {
  '/v1/models': {
    get: operation('Models', 'listModels', 'Every model', {
      responses: { '200': answer('All of them.', listOf('Model')), ...refused(...keyRefusals) },
    }),
  },
  '/v1/models/{model_id}': {
    get: operation('Models', 'getModel', 'A model: schema, rules, limits, examples', {
      parameters: [inPath('model_id')],
      responses: { '200': answer('The model.', ref('Model')), ...refused(...keyRefusals, 'model_unknown') },
    }),
  },
  '/v1/models/{model_id}/validate': {
    post: operation(
      'Models',
      'validateInput',
      'Dry run: refused exactly as a creation would be; nothing is stored',
      {
        parameters: [inPath('model_id')],
        requestBody: { required: true, content: json({ type: 'object' }) },
        responses: {
          '200': answer('A creation would be accepted.', ref('Validation')),
          ...refused(...keyRefusals, 'scope_jobs_create', 'model_unknown', 'input_invalid'),
        },
      },
    ),
  },
};

function operation(tag: string, operationId: string, summary: string, rest: Json): Json {
  return { tags: [tag], operationId, summary, ...rest };
}
