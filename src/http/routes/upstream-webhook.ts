/** Webhooks of providers. */

import type { IncomingMessage } from 'node:http';
import { readPieces } from '../../body/read-body.ts';
import { refuse } from '../../domain/refusal.ts';
import { webhookTopic } from '../../store/db/connection.ts';
import { pathValue } from '../request-values.ts';
import type { OpenRoute } from '../route.ts';

/** Providers send a few lines; none of it is trusted. */
const maxBodyBytes = 1024 * 1024;

/** A provider reports a change of a job: its next poll is due at once, and reads the real state. */
export const onUpstreamWebhook: OpenRoute = {
  method: 'POST',
  path: '/v1/ingress/:token',
  auth: 'signed',
  addressRate: null,
  errors: 'detail',
  isUnlisted: true,
  refusals: [
    'path_unknown',
    'call_unsigned',
    'rate_exceeded',
    'body_too_large',
    'content_encoding_unsupported',
  ],
  answers: {
    200: { description: 'The next poll of the job is due.', body: null },
  },
  docs: { undocumented: 'for the webhooks of providers; its URLs are given to them alone' },
  open: context => async (request, reply) => {
    const { ingress, takeFromWebhookRate, isSigned, publicUrl, clock, db } = context;
    const calledFor = ingress.read(pathValue(request, 'token'));
    if (!calledFor) throw refuse('path_unknown');
    takeFromWebhookRate(calledFor.jobId);
    const body = await readWhole(request.raw);
    const url = publicUrl() + ingress.pathOf(calledFor);
    const call = { url, headers: request.raw.headers, body, now: clock.now() };
    if (!isSigned(calledFor.account, call))
      throw refuse('call_unsigned', { cause: `invalid webhook signature for account ${calledFor.account}` });
    db.announce(webhookTopic(calledFor.jobId));
    // The one answer that all providers accept as a success.
    return reply.header('content-type', 'text/plain; charset=utf-8').send('ok');
  },
};

/** The body as bytes: a signature covers them as they are. */
async function readWhole(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => refuse('body_too_large');
  return Buffer.concat(
    await Array.fromAsync(readPieces(request, { maxBytes: maxBodyBytes, tooLarge, reservation: null })),
  );
}
