/**
 * Every answer that is not success, in one table: name → shape, status, code and words.
 * Change a status code or a sentence of an error here and nowhere else.
 */

/** Contract 7.1. `words` may contain `{subject}`. */
interface GatewayRefusal {
  readonly shape: 'gateway';
  readonly status: number;
  readonly code: string;
  readonly words: string;
}
/** Contract 7.2. `words` may contain `{subject}`. */
interface DetailRefusal {
  readonly shape: 'detail';
  readonly status: number;
  readonly words: string;
}
/** Contract 7.3. `words` may contain `{subject}`; `param` is used unless the thrower names one. */
interface FileRefusal {
  readonly shape: 'file';
  readonly status: number;
  readonly code: string;
  readonly type: 'invalid_request_error' | 'api_error';
  readonly param: string | null;
  readonly words: string;
}
export type RefusalEntry = GatewayRefusal | DetailRefusal | FileRefusal;

/** One constructor for each of the contract's three bodies (7.1 to 7.3). */
const gateway = (status: number, code: string, words: string): GatewayRefusal => ({
  shape: 'gateway',
  status,
  code,
  words,
});
const detail = (status: number, words: string): DetailRefusal => ({ shape: 'detail', status, words });
const file = (status: number, code: string, words: string, param: string | null = null): FileRefusal => ({
  shape: 'file',
  status,
  code,
  type: status >= 500 || status === 429 ? 'api_error' : 'invalid_request_error',
  param,
  words,
});

export const refusals = {
  key_missing: gateway(401, 'UNAUTHORIZED', 'A Bearer token is required'),
  key_invalid: gateway(401, 'UNAUTHORIZED', 'Invalid API key'),
  operator_token_invalid: gateway(401, 'UNAUTHORIZED', 'Invalid admin token'),
  session_ended: gateway(401, 'UNAUTHORIZED', 'The session has ended; log in again'),
  login_refused: gateway(401, 'UNAUTHORIZED', 'Wrong name or password'),
  oidc_state_wrong: gateway(
    401,
    'UNAUTHORIZED',
    'This login took too long, was replaced by another one, or came back to another address; log in again',
  ),
  oidc_refused: gateway(
    401,
    'UNAUTHORIZED',
    'The identity provider did not confirm this login; log in again',
  ),
  setup_code_wrong: gateway(
    401,
    'UNAUTHORIZED',
    'This setup address is wrong or has ended; atelier setup-link prints a new one',
  ),
  quota_of_key_used: gateway(429, 'RATE_LIMIT_EXCEEDED', '{subject}'),
  storage_of_key_used: gateway(429, 'STORAGE_QUOTA_EXCEEDED', '{subject}'),
  logins_exceeded: gateway(429, 'RATE_LIMIT_EXCEEDED', 'Too many logins were tried, please try again later'),
  logins_full: gateway(429, 'RATE_LIMIT_EXCEEDED', 'Too many logins at once, please try again later'),
  rate_exceeded: gateway(429, 'RATE_LIMIT_EXCEEDED', 'Request rate exceeded, please try again later'),
  bodies_of_key_full: gateway(429, 'RATE_LIMIT_EXCEEDED', 'Too much is sent at once, please try again later'),
  spool_of_key_full: gateway(429, 'RATE_LIMIT_EXCEEDED', 'Too much is sent at once, please try again later'),
  probes_of_key_full: gateway(
    429,
    'RATE_LIMIT_EXCEEDED',
    'Too many media wait to be read, please try again later',
  ),
  work_of_share_full: gateway(
    429,
    'RATE_LIMIT_EXCEEDED',
    'Too much is asked for at once, please try again later',
  ),
  metrics_token_invalid: gateway(401, 'UNAUTHORIZED', 'Invalid metrics token'),
  waiting_of_key_full: gateway(
    429,
    'RATE_LIMIT_EXCEEDED',
    'Too many jobs are waiting, please try again later',
  ),

  model_unknown: detail(404, 'App not found: {subject}'),
  model_forbidden: detail(403, 'Model not allowed for this user'),
  scope_jobs_create: detail(403, 'This key may not create jobs'),
  scope_jobs_read: detail(403, 'This key may not read jobs'),
  scope_webhook_secret: detail(403, 'This key may not read the webhook secret'),
  webhook_unsupported: detail(400, 'webhook not supported'),
  stream_unsupported: detail(400, 'SSE streaming not supported'),
  metrics_only_here: detail(
    403,
    'Metrics are answered to this machine alone; to read them from elsewhere, set ATELIER_METRICS_TOKEN and send it as a Bearer token',
  ),
  path_unknown: detail(404, 'Not Found'),
  method_not_allowed: detail(405, 'Method Not Allowed'),
  host_foreign: detail(
    403,
    'Host {subject} is not the address of this gateway (ATELIER_PUBLIC_URL names it)',
  ),
  origin_foreign: detail(403, 'Not allowed for pages of {subject}'),
  mcp_only_posted: detail(405, 'There is no stream here: every request is a POST'),
  // Answered like an unknown path: reveals nothing to a forger of calls.
  call_unsigned: detail(404, 'Not Found'),
  job_unknown: detail(404, 'Request not found'),
  delivery_unknown: detail(404, 'Delivery not found'),
  callback_unknown: detail(404, 'Callback not found'),
  settings_not_here: detail(404, 'The settings cannot be changed here'),
  delivery_superseded: detail(400, 'A later event of the same job took its place'),
  role_insufficient: detail(403, 'Not allowed for the role {subject}'),
  oidc_role_missing: detail(
    403,
    'None of your groups at the identity provider has a role here; ask an admin of this gateway',
  ),
  oidc_absent: detail(404, 'No identity provider is set for logins'),
  oidc_unavailable: detail(
    503,
    'The identity provider cannot be used at this moment; try again later, or log in with a password',
  ),
  setup_is_over: detail(403, 'Setup is over: somebody has an account already; log in'),
  session_unknown: detail(404, 'Session not found'),
  password_absent: detail(
    400,
    'This session has no password: it began with the admin token or by an identity provider',
  ),
  csrf_missing: detail(403, 'X-CSRF-Token is missing or is not the one of this session'),
  key_unknown: detail(404, 'Key not found'),
  person_unknown: detail(404, 'Person not found'),
  provider_unknown: detail(404, 'Account not found'),
  admin_file_unknown: detail(404, 'File not found'),
  console_key_revoked: detail(403, 'The key of the console is revoked: nothing can be run from here'),
  doubt_unknown: detail(404, 'Doubt not found'),
  budget_exceeded: detail(402, 'Insufficient budget: {subject}'),
  price_missing: detail(402, 'No price is set for {subject} has a limit'),
  project_unknown: detail(404, 'Project not found'),
  tag_unknown: detail(404, 'Tag has no budget'),
  input_invalid: detail(422, '{subject}'),
  external_task_id_used: detail(422, 'external_task_id: already used by request {subject}'),
  idempotency_key_reused: detail(422, 'Idempotency-Key: already used with another body'),
  body_not_object: detail(400, 'Request body must be a JSON object'),
  body_too_large: detail(413, 'Request body too large'),
  content_type_unsupported: detail(415, 'Content-Type must be application/json'),
  content_encoding_unsupported: detail(415, 'Content-Encoding must be identity'),
  request_malformed: detail(400, 'Bad Request'),
  headers_too_large: detail(431, 'Request header fields too large'),
  request_too_slow: detail(408, 'Request took too long'),
  // The path that other queue clients read results from raises on a failed job (decisions 2, alias).
  job_failed: detail(500, 'Runtime execution failed'),
  job_ended_early: detail(400, 'Runtime execution failed'),
  unavailable: detail(503, 'Service temporarily unavailable'),
  bodies_full: detail(503, 'Service temporarily unavailable'),
  spool_full: detail(503, 'Service temporarily unavailable'),
  probes_full: detail(503, 'Service temporarily unavailable'),
  waiting_full: detail(503, 'Service temporarily unavailable'),
  work_full: detail(503, 'Service temporarily unavailable'),
  work_stopped: detail(503, 'Service temporarily unavailable'),
  bug: detail(500, 'Runtime execution failed'),

  scope_files: file(403, 'scope_missing', 'This key may not use files'),
  file_request_invalid: file(400, 'invalid_request', '{subject}'),
  file_method_not_allowed: file(405, 'method_not_allowed', 'Method Not Allowed'),
  file_required: file(400, 'file_required', 'The request has no file field', 'file'),
  invalid_base64: file(400, 'invalid_base64', 'data is empty or not valid base64', 'data'),
  unsupported_file_type: file(400, 'unsupported_file_type', 'Unsupported file type: {subject}', 'file'),
  file_too_large: file(413, 'file_too_large', 'The file exceeds 40MB', 'file'),
  upload_rate_exceeded: file(429, 'rate_limit_exceeded', 'Upload rate exceeded, please try again later'),
  storage_quota_exceeded: file(429, 'storage_quota_exceeded', '{subject}', 'file'),
  file_rate_exceeded: file(429, 'rate_limit_exceeded', 'Request rate exceeded, please try again later'),
  file_unavailable: file(503, 'service_unavailable', 'Service temporarily unavailable'),
  storage_unavailable: file(500, 'storage_unavailable', 'Storage is unavailable, please try again later'),
  file_bug: file(500, 'internal_error', 'Something went wrong on our side'),
  invalid_signature: file(403, 'invalid_signature', 'The signature of this address is not valid'),
  url_expired: file(403, 'url_expired', 'This address has expired; request the file again to get a new one'),
  file_not_found: file(404, 'file_not_found', 'File not found', 'file_id'),
  file_range_invalid: file(416, 'invalid_range', 'The range lies outside the file', 'Range'),
} as const satisfies Record<string, RefusalEntry>;

/** A line of the table. */
export type RefusalName = keyof typeof refusals;

/** What a refusal says beyond its line of the table. */
export interface RefusalDetails {
  /** Fills `{subject}` in the words. */
  readonly subject?: string;
  /** The offending field of a file refusal. */
  readonly param?: string;
  /** Whole seconds until another try makes sense. */
  readonly retryAfterSeconds?: number;
  /** Field paths at fault, for the header X-Error-Fields. */
  readonly fields?: readonly string[];
  /** The id that was perhaps meant, for the header X-Suggestion. */
  readonly suggestion?: string;
  /** Names of the fields of the body, without values: for the request log. */
  readonly bodyFields?: readonly string[];
  /** What really happened: for the log, never for the client. */
  readonly cause?: unknown;
}

/** A refusal on its way to the client. Its message is the public sentence; its cause is private. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly refusal: RefusalName;
  readonly details: RefusalDetails;

  constructor(refusal: RefusalName, details: RefusalDetails) {
    super(
      refusals[refusal].words.replace('{subject}', () => details.subject ?? ''),
      { cause: details.cause },
    );
    this.refusal = refusal;
    this.details = details;
  }

  get entry(): RefusalEntry {
    return refusals[this.refusal];
  }
}

/** `throw refuse('file_too_large')`. */
export const refuse = (refusal: RefusalName, details: RefusalDetails = {}): Refusal =>
  new Refusal(refusal, details);
