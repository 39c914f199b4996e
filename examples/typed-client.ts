// A program that uploads nothing, waits for one picture, and handles the three ways a job can go wrong.
//
//   ATELIER_URL=http://127.0.0.1:8080 ATELIER_API_KEY=atl_… node examples/typed-client.ts "A red balloon"
//
// `atelier-client` is the package in `client/`; inputs and results are typed by the model id.
import { createClient, GatewayError, JobFailedError, ValidationError } from 'atelier-client';

const { ATELIER_URL: baseUrl = 'http://127.0.0.1:8080', ATELIER_API_KEY: apiKey = '' } = process.env;
const prompt = process.argv[2] ?? 'A lighthouse above the sea at dusk';
const atelier = createClient({ baseUrl, apiKey });

try {
  const { data, requestId } = await atelier.subscribe('gamma-v3-image', {
    input: { prompt, aspect_ratio: '16:9' },
    // The wait ends after five minutes and the job is cancelled with it.
    deadlineMs: 5 * 60_000,
    cancelOnAbort: true,
    onUpdate: ({ status }) => console.error(status),
  });
  for (const { url } of data.images) console.log(`${requestId} ${url}`);
} catch (failure) {
  process.exitCode = 1;
  if (failure instanceof ValidationError) {
    // The input was refused and nothing was paid: each issue names a field.
    for (const { path, message } of failure.issues) console.error(`${path}: ${message}`);
  } else if (failure instanceof JobFailedError) {
    // The job ended without a result. `retryable` says whether the same job may succeed later.
    console.error(`${failure.result.error.code}: ${failure.message} (retryable: ${failure.retryable})`);
  } else if (failure instanceof GatewayError) {
    // Everything else that the gateway answers: a wrong key, a rate limit, an outage.
    console.error(`${failure.kind} ${failure.status ?? ''}: ${failure.message}`);
  } else throw failure;
}
