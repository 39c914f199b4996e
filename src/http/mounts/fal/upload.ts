/** Uploads of clients of fal: a first call names the file and gets two addresses, a second one sends the bytes. */

import { createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { senderOf } from '../../../admission/sender.ts';
import { refuseUploadEarly, spoolUpload, storeUpload } from '../../../admission/store-upload.ts';
import { anyObject } from '../../../answers/values.ts';
import { chunksFreedAfterUse } from '../../../body/chunks.ts';
import { minutes } from '../../../domain/clock.ts';
import { constantTimeEqualText } from '../../../domain/constant-time-equal.ts';
import { fileUrlLifeMs, maxUploadBytes } from '../../../domain/file.ts';
import { fileIdFromRow, keyIdFromRow, newFileId, userIdFromRow } from '../../../domain/ids.ts';
import type { Principal } from '../../../domain/key.ts';
import { refuse } from '../../../domain/refusal.ts';
import { readFileOfUser } from '../../../store/files/files.ts';
import type { HttpContext } from '../../http-context.ts';
import { uploadRefusals } from '../../refusals-of-route.ts';
import { queryValue } from '../../request-values.ts';
import type { OpenRoute } from '../../route.ts';
import { withJsonBody } from '../kit/read-mounted-body.ts';

/** How long the bytes may take to come. */
const ticketLifeMs = 15 * minutes;
/** A name and a type. */
const maxInitiateBytes = 16 * 1024;
/** Memory that one upload reserves on its way to the disk, whatever its size. */
const streamBytes = 1024 * 1024;

/** What a client says of a file before it sends the bytes. */
const initiation = z.object({
  content_type: z.string().max(200).optional(),
  file_name: z.string().max(255).optional(),
});

/** What the address of an upload says, signed: every process of the gateway takes the bytes. */
const ticketSchema = z.object({
  file: z.string(),
  name: z.string(),
  type: z.string(),
  user: z.string(),
  key: z.string(),
  project: z.string(),
  /** Epoch ms. */
  until: z.number(),
});
/** A ticket that was read or is written. */
type Ticket = z.output<typeof ticketSchema>;

/** The two addresses; the second is good for an hour, and for inputs of jobs as soon as the bytes are there. */
export async function initiateUpload(context: HttpContext, principal: Principal, request: FastifyRequest) {
  const { clock, publicUrl, signer } = context;
  return withJsonBody(context, { principal, request, maxBytes: maxInitiateBytes }, async body => {
    const read = initiation.safeParse(body);
    if (!read.success)
      throw refuse('input_invalid', {
        subject: 'file_name, content_type: must be texts of at most 255 characters',
        fields: ['file_name'],
      });
    await refuseUploadEarly(context, principal);
    const id = newFileId();
    // Some clients send a whole path.
    const name = read.data.file_name?.split(/[/\\]/).at(-1) || id;
    const ticket: Ticket = {
      file: id,
      name,
      type: read.data.content_type ?? '',
      user: principal.userId,
      key: principal.keyId,
      project: principal.projectId,
      until: clock.now() + ticketLifeMs,
    };
    return {
      // In the query, which no log has.
      upload_url: `${publicUrl()}/fal/storage/upload?ticket=${seal(ticket, context.sessionKey)}`,
      file_url: publicUrl() + signer.sign({ id, fileName: name }, clock.now() + fileUrlLifeMs),
    };
  });
}

/** The bytes, to the address that stands for the key. A second time it changes nothing. */
export const takeFalUpload: OpenRoute = {
  method: 'PUT',
  path: '/fal/storage/upload',
  auth: 'signed',
  addressRate: 'files',
  errors: 'fal',
  refusals: ['invalid_signature', 'url_expired', ...uploadRefusals],
  answers: { 200: { description: 'The file is stored.', body: anyObject } },
  docs: { undocumented: 'a part of the protocol of another service: docs/mounts.md' },
  open: context => async request => {
    const ticket = unseal(queryValue(request, 'ticket') ?? '', context.sessionKey);
    const now = context.clock.now();
    if (ticket.until <= now) throw refuse('url_expired');
    const principal = principalOf(ticket);
    const id = fileIdFromRow(ticket.file);
    if (await readFileOfUser(context.db, id, principal.userId, now)) return {};
    await refuseUploadEarly(context, principal);
    await receive(context, request, { principal, ticket });
    return {};
  },
};

/** Spools the bytes, decides their type and stores them under the id that was given out. */
const receive = (
  context: HttpContext,
  { raw }: FastifyRequest,
  { principal, ticket }: { readonly principal: Principal; readonly ticket: Ticket },
) =>
  context.memoryBudget.withReservation(principal.keyId, async room => {
    if (Number(raw.headers['content-length'] ?? 0) > maxUploadBytes) throw refuse('file_too_large');
    const encoding = raw.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw refuse('content_encoding_unsupported');
    room.reserve(streamBytes);
    // What says nothing: then the bytes alone decide.
    const declaredMimeType = ['', 'application/octet-stream'].includes(ticket.type) ? undefined : ticket.type;
    const declared = { fileName: ticket.name, declaredMimeType, typeField: 'file' } as const;
    const content = chunksFreedAfterUse(raw, room.waitForTurn);
    const checked = await spoolUpload(context, senderOf(raw, principal), content, () => declared);
    const named = { fileName: ticket.name, purpose: null, id: fileIdFromRow(ticket.file) };
    return storeUpload(context, principal, checked, named);
  });

/** The key that initiated the upload, for this one file. */
const principalOf = ({ user, key, project, until }: Ticket): Principal => ({
  userId: userIdFromRow(user),
  keyId: keyIdFromRow(key),
  projectId: project,
  models: null,
  scopes: ['files'],
  quota: null,
  expiresAt: until,
});

/** Over the payload and its purpose, so that no other signature of the same key is one. */
const macOf = (payload: string, key: string): string =>
  createHmac('sha256', key).update(`fal upload v1\n${payload}`).digest('base64url');

/** The payload in base64url, a dot, and its signature. */
function seal(ticket: Ticket, key: string): string {
  const payload = Buffer.from(JSON.stringify(ticket)).toString('base64url');
  return `${payload}.${macOf(payload, key)}`;
}

/** Throws a 403 for what we did not sign. */
function unseal(text: string, key: string): Ticket {
  const [payload = '', mac = ''] = text.split('.', 2);
  if (!constantTimeEqualText(mac, macOf(payload, key))) throw refuse('invalid_signature');
  return ticketSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}
