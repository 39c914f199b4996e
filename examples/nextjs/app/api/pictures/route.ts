// A route of Next.js (app router) that starts a picture and reports how far it is. The key stays on the server.
//
//   POST /api/pictures        { "prompt": "A red balloon" }  → 202 { "id": "…" }
//   GET  /api/pictures?id=…                                  → 200 { "status": "COMPLETED", "url": "…" }
import { createClient, GatewayError } from 'atelier-client';

const model = 'gamma-v3-image';

// Read at each request: a build of Next.js has no secrets.
const openAtelier = () =>
  createClient({ baseUrl: process.env.ATELIER_URL ?? '', apiKey: process.env.ATELIER_API_KEY ?? '' });

/** Answers at once: a picture may take longer than a serverless function may run. */
export async function POST(request: Request): Promise<Response> {
  const { prompt }: { prompt?: unknown } = await request.json().catch(() => ({}));
  if (typeof prompt !== 'string') return Response.json({ error: 'prompt: is required' }, { status: 422 });
  try {
    const job = await openAtelier().queue.submit(model, {
      input: { prompt, ...(process.env.CALLBACK_URL && { callback_url: process.env.CALLBACK_URL }) },
      // The same request of the browser, sent again, is the same job.
      ...(request.headers.get('idempotency-key') && {
        idempotencyKey: String(request.headers.get('idempotency-key')),
      }),
    });
    return Response.json({ id: job.request_id }, { status: 202 });
  } catch (failure) {
    return answerOf(failure);
  }
}

export async function GET(request: Request): Promise<Response> {
  const id = new URL(request.url).searchParams.get('id') ?? '';
  const { queue } = openAtelier();
  try {
    const { status } = await queue.status(model, id);
    if (status !== 'COMPLETED') return Response.json({ status });
    const result = await queue.result(model, id);
    return result.error === null
      ? Response.json({ status, url: result.images[0]?.url })
      : Response.json({ status, error: result.error.message });
  } catch (failure) {
    return answerOf(failure);
  }
}

/** The gateway's sentence about an input is fit for a user; anything else is an error of this server. */
function answerOf(failure: unknown): Response {
  if (failure instanceof GatewayError && [404, 422, 429].includes(failure.status ?? 0))
    return Response.json({ error: failure.message }, { status: failure.status ?? 500 });
  console.error(failure);
  return Response.json({ error: 'The picture could not be made' }, { status: 502 });
}
