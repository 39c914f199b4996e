/** How the protocol is used, in a page of Markdown: for /llms.txt, and the introduction of /docs. */

/** `url` is the base of the gateway. Ends with an empty line. */
export const usageGuide = (url: string): string => `Base address: ${url}

Every request carries the header \`Authorization: Bearer <API key>\`. What is linked under "More" needs no key, but for ${url}/v1/models and ${url}/mcp.

## The queue

1. Create: \`POST ${url}/v1/queue/{model_id}\`, Content-Type application/json, the input of the model as body.
   - 200 is the handle: \`request_id\`, \`status_url\`, \`response_url\`, \`cancel_url\`, \`queue_position\`. The job is stored from here on. Keep \`request_id\`.
   - Send an \`Idempotency-Key\` of your own: the same key and body answer the first handle again for 24 hours, so a creation whose answer was lost can be repeated without a second paid job. Never repeat a creation without one.
   - \`Cancel-After: 90s | 5m | 3600\` sets a deadline.
2. Wait: \`GET\` the \`status_url\` with the header \`Prefer: wait=30\` (1 to 60 seconds). It returns when the status changes or the time is over.
   - \`status\` is \`IN_QUEUE\`, \`IN_PROGRESS\` or \`COMPLETED\`, and nothing else. COMPLETED is final, for success, failure, cancellation and expiry alike: \`error\` distinguishes them.
   - Without \`Prefer\`, wait for as many seconds as \`Retry-After\` says.
3. Fetch: \`GET\` the \`response_url\`. 202 while the job is not finished, 200 with the result once it is.
   - Check \`error\` first: null on success, else \`code\`, \`message\` and \`retryable\`.
   - The result has \`video\`, \`images\` or \`audio\`, each with a \`url\`. The URLs are valid for 24 hours; fetch the result again for new ones. Results are stored for 30 days.
4. Cancel: \`PUT\` the \`cancel_url\`. 200: it was queued and is cancelled; 202: it is running and was requested to stop; 400: it was already COMPLETED.

The jobs of a key's user: \`GET ${url}/v1/jobs\`, one of them by its id alone: \`GET ${url}/v1/jobs/{request_id}\`.

## Inputs

- \`GET ${url}/v1/models/{model_id}\` answers the JSON Schema, the rules between fields, the bounds of media, and examples.
- \`POST ${url}/v1/models/{model_id}/validate\` with an input says whether it would be accepted; nothing is stored.
- Unknown fields are refused and nothing is coerced. A default is what an omitted field means: do not send it.
- Media fields take what the model says (web address, data URL or base64), and always a file of your own: \`POST ${url}/v1/files\` with a form of one part \`file\`, or with JSON \`{"data":"<base64>","mime_type":"image/png"}\`; at most 40 MiB; then put its \`id\` (\`file_…\`) where the media belong. Files live seven days.

## Errors

- \`{"detail":"…"}\`: 422 names every faulty field of the input, 404 an unknown model or job, 403 a model that this key may not use.
- \`{"error":{"code","message"},"request_id"}\`: 401 for the key, 429 with \`Retry-After\` for too many requests.
- \`{"error":{"message","type","param","code"}}\`: files.
- Every one of them carries \`X-Error-Code\`, which does not change; an unknown model also \`X-Suggestion\` with the nearest id.
- 429 and 503 can be repeated after \`Retry-After\`; every other 4xx stays as it is until the request is changed.
- Webhooks are \`callback_url\`, in the input of a model that takes one. Not supported: \`/status/stream\`, \`/sync\`.

`;
