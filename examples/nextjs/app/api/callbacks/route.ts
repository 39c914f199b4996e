// The webhook (callback) of a job as a route of Next.js: CALLBACK_URL of the other route points here.
import { verify } from 'atelier-client/callbacks';

export async function POST(request: Request): Promise<Response> {
  // The text as it came: the signature covers every byte of it.
  const text = await request.text();
  const event = await verify(text, request.headers, process.env.CALLBACK_SECRET ?? '').catch(() => null);
  if (!event) return new Response(null, { status: 400 });
  if (event.status === 'COMPLETED') console.log(event.request_id, event.error?.message ?? 'done');
  return new Response(null, { status: 204 });
}
