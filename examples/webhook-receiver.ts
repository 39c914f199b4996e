// A receiver of webhooks (the contract says callbacks) that accepts nothing it cannot verify.
//
//   CALLBACK_SECRET=whsec_… PORT=3000 node examples/webhook-receiver.ts
//
// The secret is that of the key's user: GET /v1/webhooks/default/secret. Create jobs with
// "callback_url": "https://this-host/callbacks".
import { createServer } from 'node:http';
import { verify } from 'atelier-client/callbacks';

const { CALLBACK_SECRET: secret = '', PORT: port = '3000' } = process.env;

/** Ids of the callbacks that were processed. In production: a unique column beside what the callback changes. */
const processed = new Set<string>();

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  // The signature covers the body byte for byte: read it before anything parses it.
  const body = Buffer.concat(await request.toArray());
  const event = await verify(body, request.headers, secret).catch(() => null);
  if (!event) return response.writeHead(400).end();

  // A callback may come more than once, always under the same id: a second one changes nothing.
  const id = String(request.headers['webhook-id']);
  if (!processed.has(id)) {
    processed.add(id);
    if (event.status === 'IN_PROGRESS') console.log(`${event.request_id} runs`);
    else console.log(`${event.request_id} ended: ${event.error?.message ?? 'done'}`);
  }
  // Answer within seconds, and do slow work elsewhere: any 2xx ends the delivery, anything else is retried.
  response.writeHead(204).end();
});
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  console.log(`listening on ${typeof address === 'object' ? address?.port : address}`);
});
