/** Fastify alone, for comparison: the two requests of the throughput benchmark, without a lookup or a write. */
import Fastify from 'fastify';

const app = Fastify();
const handle = {
  request_id: '01900000-0000-7000-8000-000000000000',
  response_url: 'http://127.0.0.1/response',
  status_url: 'http://127.0.0.1/status',
  cancel_url: 'http://127.0.0.1/cancel',
  queue_position: 0,
};
app.post('/create', async request => {
  const fields = Object.keys(request.body as Readonly<Record<string, unknown>>);
  return { ...handle, queue_position: fields.length };
});
app.get('/status', async () => ({ status: 'IN_QUEUE', ...handle, created_at: 1_779_348_818 }));
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`Address   ${app.listeningOrigin}\n\n`);
