/** The request of a callback (webhook) as the next attempt sends it, for the console. */

import { readCallbackContent } from '../../answers/callback-content.ts';
import { modelOfJob } from '../../catalog/catalog.ts';
import { withoutCallbackMark } from '../../domain/callback-shape.ts';
import { type Delivery, webhookHeaders } from '../../domain/delivery.ts';
import { hasRoleAtLeast, type Role } from '../../domain/person.ts';
import { readJobById } from '../../store/jobs/read.ts';
import type { HttpContext } from '../http-context.ts';

/** A longer body is not shown; results are far shorter. */
const maxShownBytes = 64 * 1024;
/** What stands in place of a signature: whoever has it can send the callback again within five minutes. */
const hidden = '(shown to developers)';

/** Null where nothing is sent any more: the job ended or is gone. */
export async function deliveryRequestBody(context: HttpContext, delivery: Delivery, reader: Role) {
  const { callbackSecrets, clock } = context;
  const url = withoutCallbackMark(delivery.url);
  const unsigned = { 'content-type': 'application/json', 'user-agent': 'Atelier', 'webhook-id': delivery.id };
  if (await hasInlineSound(context, delivery))
    return { url, headers: unsigned, body: null, body_bytes: null };
  const content = await readCallbackContent(context, delivery);
  if (content.kind !== 'body') return null;
  const bytes = Buffer.from(content.body);
  const now = clock.now();
  const secrets = await callbackSecrets.read(delivery.userId, now);
  const signed = webhookHeaders(delivery.id, bytes, secrets, now);
  return {
    url,
    headers: {
      ...unsigned,
      ...signed,
      ...(!hasRoleAtLeast(reader, 'developer') && { 'webhook-signature': hidden }),
    },
    body: bytes.length <= maxShownBytes ? content.body : null,
    body_bytes: bytes.length,
  };
}

/** Such a body contains a whole sound, which is not read for a page. */
async function hasInlineSound({ db, catalog }: HttpContext, { jobId }: Delivery): Promise<boolean> {
  const job = jobId && (await readJobById(db, jobId));
  return job !== null && modelOfJob(catalog, job).inlineAudio(job.input);
}
