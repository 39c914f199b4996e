/** What each refusal means and what to do about it: the source of docs/errors.md (npm run errors-page). */
import { type RefusalName, refusals } from './refusal.ts';

/** One or two sentences for each refusal, for developers of clients. */
export const refusalHelp: Readonly<Record<RefusalName, string>> = {
  key_missing:
    'The request has no Authorization header, an empty one, or one of another scheme than Bearer. Send `Authorization: Bearer atl_…`.',
  key_invalid:
    'The key is unknown, mistyped, expired or revoked. Take a valid key; an operator makes one with `atelier keys create --user NAME`.',
  operator_token_invalid:
    'The admin API was called with another token than the admin token. It is `ATELIER_ADMIN_TOKEN`, or in `secrets.json` of the data folder.',
  session_ended: 'The session of the console has expired or was ended. Log in again.',
  login_refused: 'There is no account of that name with that password. Check both.',
  oidc_state_wrong:
    'A login by the identity provider ends within ten minutes, in the browser and at the address (`ATELIER_PUBLIC_URL`) where it began, and once. Begin it again.',
  oidc_refused:
    'The identity provider refused the login, or what it sent is not valid: its code, signature, nonce or audience. The log of the gateway has the reason. Log in again.',
  oidc_role_missing:
    'The identity provider knows the person, but `login.oidc.roles` of `atelier.yaml` has none of his groups and there is no `default_role`. Earlier sessions of the person have ended. Add the group, or the person to a group.',
  oidc_absent: '`atelier.yaml` has no `login.oidc`. Log in with a password or the admin token.',
  oidc_unavailable:
    'The identity provider in `login.oidc` does not answer, or its description is not that of the issuer; the log of the gateway says which. Passwords and the admin token work meanwhile.',
  logins_exceeded:
    'Too many logins of this name or from this range of addresses failed. Wait for `Retry-After`; a browser that logged in before is not delayed by others.',
  logins_full:
    'Too many passwords are being checked at this moment. Wait for `Retry-After`, then log in again.',
  setup_code_wrong:
    'The code of the setup address is wrong, older than 24 hours, or was replaced. Run `atelier setup-link` and open the address that it prints, whole.',
  budget_exceeded:
    'What the job may cost at most does not fit into the budget of the project, key or tag that the sentence names. `GET /v1/balance` shows what is left of the first two and what unfinished jobs hold; an operator raises the limit with `atelier projects top-up` or `limit`, of a tag with `atelier tags`. Nothing was stored.',
  price_missing:
    'The project, key or tag has a limit, and the model has no price that could be held against it. An operator sets one under `prices.models`, or `prices.unpriced: free`. Nothing was stored.',
  tag_unknown:
    'The tag never had a limit. `atelier tags list` shows those that have, `atelier tags limit` sets one.',
  project_unknown: 'There is no project of this name. `atelier projects list` shows them.',
  quota_of_key_used:
    'The key has as many jobs running or made today as its operator allows. Wait for `Retry-After`, or have its limits raised.',
  rate_exceeded: 'The key sends more requests a second than its limit. Wait for `Retry-After`, then repeat.',
  bodies_of_key_full:
    'The bodies that this key is sending use all the memory that one key may have. Wait for `Retry-After`, and send fewer at once.',
  waiting_of_key_full:
    'The key has as many waiting jobs as one key may have. Wait until some of them ended, then repeat after `Retry-After`.',
  storage_of_key_used:
    'The files of the key or of its user have as many bytes as `limits.storage` allows. Delete files that are no longer needed, or have the operator raise the limit.',
  spool_of_key_full:
    'Incoming files of this key use as much of the local disk as one key may have. Wait for `Retry-After`, and send fewer at once.',
  probes_of_key_full:
    'As many media of this key wait to be read as one key may have waiting. Wait for `Retry-After`, and send fewer at once.',
  work_of_share_full:
    'As much expensive work as one key or address may have is waiting already. Wait for `Retry-After`, and send fewer requests at once.',
  metrics_token_invalid:
    'The metrics were requested without the token in `ATELIER_METRICS_TOKEN`. Send it as a Bearer token.',
  model_unknown:
    'No model has this id. The header `X-Suggestion` names the nearest id where one is near; `GET /v1/models` lists them all.',
  model_forbidden:
    'The model exists, and this key may not use it. Take another key, or have the operator allow the model.',
  scope_jobs_create:
    'The key lacks the scope `jobs:create`. Take another key, or have the operator add the scope.',
  scope_jobs_read:
    'The key lacks the scope `jobs:read`. Take another key, or have the operator add the scope.',
  scope_webhook_secret:
    'The key lacks the scope `webhook-secret`, which a restricted key has only where it is named. Take another key, or have the operator add the scope.',
  webhook_unsupported:
    'A name of a webhook stands in the query, in a header or in the body. Remove it; `callback_url` in the body does the same for the models that take one (`accepts_callback`).',
  stream_unsupported:
    'The status of a job is not streamed. Ask for `…/status` with `Prefer: wait=60`, which is answered when the status changes.',
  metrics_only_here:
    'No `ATELIER_METRICS_TOKEN` is set, so `/metrics` answers loopback addresses alone. Set it, and send it as a Bearer token.',
  path_unknown: 'Nothing is at this path. The paths are in `GET /openapi.json` and at `/docs`.',
  method_not_allowed:
    'The path exists and does not take this method. The header `Allow` names the methods that it takes.',
  host_foreign:
    'The request was addressed to a name that is not the gateway’s. Use the address in `ATELIER_PUBLIC_URL`, or set it.',
  origin_foreign: 'A web page of another origin may not call this endpoint. Call it from a program.',
  mcp_only_posted: 'The tools are called by POST alone; there is no stream to listen to.',
  call_unsigned: 'Nothing is at this path.',
  job_unknown:
    'There is no such job, or it is of another model or another user; the answer is the same for all three. Check the request_id and the model in the path.',
  settings_not_here:
    'This gateway was not started from a settings file that it can read again. Change the settings where it is started.',
  callback_unknown:
    'The user of the key has no callback (webhook) of this id. `GET /v1/webhooks/deliveries` lists them.',
  delivery_unknown: 'No callback has this id. `GET /admin/v1/deliveries` lists them.',
  delivery_superseded:
    'A later event of the same job was made after this one, so this one is not sent again. Redeliver the later event.',
  role_insufficient: 'The role of this account may not do that. Ask an admin.',
  setup_is_over: 'The first account exists already, and setup works only once. Log in.',
  csrf_missing:
    'A session of the console changes things only with its own token. Send the `csrf_token` of `GET /admin/v1/session` as `X-CSRF-Token`.',
  key_unknown: 'No key has this id. `GET /admin/v1/keys` lists them.',
  person_unknown: 'No person has this id. `GET /admin/v1/people` lists them.',
  session_unknown: 'No session has this id, or it has ended. `GET /admin/v1/sessions` lists the live ones.',
  password_absent:
    'A session of the admin token, or of an identity provider, has no password here. Create an account under Settings, change the token, or change the password at the identity provider.',
  provider_unknown: 'No account has this name in `atelier.yaml`. `GET /admin/v1/providers` lists them.',
  admin_file_unknown: 'There is no such file, or it was deleted or has expired.',
  console_key_revoked:
    'The key under which the console makes jobs was revoked. Make jobs with a key of your own.',
  doubt_unknown: 'No unresolved uncertain submission (doubt) has this id. `GET /admin/v1/doubts` lists them.',
  input_invalid:
    'The request breaks the schema or a rule; every fault is named as `path: reason`, and the paths stand again in `X-Error-Fields`. Change the request; `GET /v1/models/{id}` describes what the model accepts.',
  external_task_id_used:
    'Another job of yours has this external_task_id; its request_id stands in the sentence. Read that job, or choose another id.',
  idempotency_key_reused:
    'The same Idempotency-Key came with another body within 24 hours. Take a new key for a new request.',
  body_not_object:
    'The body is empty, is not JSON, or is another value than an object. Send one JSON object in UTF-8.',
  body_too_large:
    'The body is longer than this endpoint takes (`limits.max_body_bytes` of the model). Upload the media with `POST /v1/files` and name the file instead.',
  content_type_unsupported: 'Send the body as JSON, with `Content-Type: application/json`.',
  content_encoding_unsupported: 'Send the body as it is, without compression.',
  request_malformed: 'What arrived is no complete HTTP request. Check the client, or what stands between.',
  headers_too_large: 'Path and headers together are longer than 16 KiB. Shorten them.',
  request_too_slow:
    'The headers or the body arrived too slowly, and the connection was closed. Repeat over a better connection.',
  job_failed:
    'The requested job has failed, and this path reports that by its status. `…/response` returns its `error` with 200.',
  job_ended_early:
    'The job was cancelled, expired, or its input was at fault. `…/response` answers its `error` with 200.',
  unavailable: 'The database or the storage does not answer. Nothing was stored. Repeat after `Retry-After`.',
  bodies_full:
    'Bodies of all clients use all the memory reserved for them. Nothing was stored. Repeat after `Retry-After`.',
  waiting_full: 'As many jobs wait as this gateway takes in. Nothing was stored. Repeat after `Retry-After`.',
  spool_full:
    'Incoming files use all of the local disk that they may. Nothing was stored. Repeat after `Retry-After`.',
  probes_full: 'Too many media wait to be read. Nothing was stored. Repeat after `Retry-After`.',
  work_full: 'Too much expensive work waits already. Nothing was stored. Repeat after `Retry-After`.',
  work_stopped:
    'This process is stopping. Nothing was stored. Repeat; another process answers, or this one after its restart.',
  bug: 'A fault of the gateway; its log has the stack under the `X-Request-Id`. Report it to the operator.',
  file_request_invalid:
    'The upload or the query is wrong; `message` says how and `param` names the field. Change the request.',
  file_method_not_allowed:
    'The path exists and does not take this method. The header `Allow` names the methods that it takes.',
  file_required: 'The form has no part named `file`. Send the file in a part of that name.',
  invalid_base64: '`data` is empty or not valid base64. Encode the bytes again.',
  unsupported_file_type:
    'The bytes are of a type that is not kept. Kept are JPEG, PNG, GIF, WebP; MP3, WAV, audio in MP4 and WebM; MP4, QuickTime, WebM; PDF; plain text, CSV and JSON. Convert the file.',
  file_too_large: 'The file is longer than 40 MiB. Send a smaller one, or give the model a web address.',
  upload_rate_exceeded:
    'Ten uploads of this user were accepted within the last 60 seconds. Repeat after `Retry-After`.',
  file_rate_exceeded: 'The key sends more requests a second than its limit. Wait for `Retry-After`.',
  file_unavailable: 'The gateway cannot take the upload at this moment. Repeat after `Retry-After`.',
  storage_unavailable: 'The database or the storage does not answer. Repeat after `Retry-After`.',
  storage_quota_exceeded:
    'The files of the key or of its user have as many bytes as `limits.storage` allows. Delete files with `DELETE /v1/files/{id}`, or have the operator raise the limit.',
  scope_files: 'The key lacks the scope `files`. Take another key, or have the operator add the scope.',
  file_bug:
    'A fault of the gateway; its log has the stack under the `X-Request-Id`. Report it to the operator.',
  invalid_signature:
    'The address was changed, or signed by another installation. Ask for the file or the result again and use its `url` as it is.',
  url_expired: 'The signed address is past its time. Ask for the file or the result again to get a new one.',
  file_not_found:
    'There is no such file, or it was deleted, has expired, or is of another user; the answer is the same for all.',
  file_range_invalid: 'The range begins behind the end of the file. `Content-Range` says how long it is.',
};

/** Answers that are no success and have a body of their own, with the code that they carry. */
export const otherCodes = {
  already_completed: {
    status: 400,
    words: '{"status":"ALREADY_COMPLETED",…}',
    help: 'The job had ended before the cancel arrived. Read its result.',
  },
  not_ready: {
    status: 503,
    words: '{"status":"unavailable","reason":…}',
    help: 'The process does not take traffic at this moment; `reason` says why. Retry on another one, or later.',
  },
  console_not_built: {
    status: 404,
    words: 'a sentence as plain text',
    help: 'The console was not built on this machine. `npm start` builds it.',
  },
  package_not_built: {
    status: 404,
    words: 'a sentence as plain text',
    help: 'The package of a client was not built on this machine. `npm start` builds it.',
  },
} as const;

/** The code in the header X-Error-Code: the name of the row, except where that would help a forger of calls. */
export const codeOf = (refusal: RefusalName): RefusalName =>
  refusal === 'call_unsigned' ? 'path_unknown' : refusal;

/** Every row of the table, in its order. */
export const refusalNames = Object.keys(refusals) as readonly RefusalName[];
