import type { FastifyRequest } from 'fastify';
import { keepUpload, refuseUploadEarly, spoolUpload, type UploadParts } from '../../admission/keep-upload.ts';
import { isJson } from '../../admission/read-body.ts';
import { senderOf } from '../../admission/sender.ts';
import type { StoredFile } from '../../domain/file.ts';
import type { Principal } from '../../domain/key.ts';
import { refuse } from '../../domain/refusal.ts';
import { released } from '../../media/release.ts';
import { fileObject } from '../file-object.ts';
import { type HttpParts, identify, type Route } from '../parts.ts';
import { type Arrived, type Incoming, readJsonUpload, readPurpose } from '../read-json-upload.ts';
import { readMultipart } from '../read-multipart.ts';

/** What one upload holds in memory on its way to the disk, whatever its size. */
const streamBytes = 1024 * 1024;

/** Contract 4.2: one file a request, as a form or as JSON. */
export const uploadFile = (parts: HttpParts): Route => ({
  method: 'POST',
  path: '/v1/files',
  errors: 'file',
  async handle(request) {
    const principal = await identify(parts, request, 'files');
    return fileObject(parts, await receiveUpload(parts, request, principal));
  },
});

/** The same for whoever asks in another way than by a key. */
export async function receiveUpload(
  parts: HttpParts,
  request: FastifyRequest,
  principal: Principal,
): Promise<StoredFile> {
  await refuseUploadEarly(parts, principal);
  return parts.bodies.hold(principal.keyId, async room => {
    const take = () => room.take(streamBytes);
    const incoming = { message: request.raw, principal, room: { ...room, take } };
    const arrived = await readUpload(parts, incoming);
    return keepUpload(parts, principal, arrived.judged, arrived);
  });
}

async function readUpload(parts: UploadParts, incoming: Incoming): Promise<Arrived> {
  const contentType = incoming.message.headers['content-type'];
  if (isJson(contentType)) return readJsonUpload(parts, incoming);
  if (/^multipart\/form-data\s*;/i.test(contentType?.trim() ?? '')) return readFormUpload(parts, incoming);
  throw refuse('file_request_invalid', {
    subject: 'Content-Type must be multipart/form-data with a boundary, or application/json',
  });
}

async function readFormUpload(parts: UploadParts, { message, principal, room }: Incoming): Promise<Arrived> {
  const sender = senderOf(message, principal);
  const { file, fields } = await readMultipart(message, {
    reserve: () => room.take(streamBytes),
    take: async ({ content, fileName, declaredMimeType }) => ({
      fileName,
      judged: await spoolUpload(parts, sender, released(content, room.turn), () => ({
        fileName,
        declaredMimeType,
        typeField: 'file',
      })),
    }),
    drop: ({ judged }) => judged.drop(),
  });
  if (!file) throw refuse('file_required');
  try {
    return { ...file, purpose: readPurpose(fields.get('purpose')) };
  } catch (failure) {
    await file.judged.drop();
    throw failure;
  }
}
