/** Upload a file, as a form or as JSON. */

import type { FastifyRequest } from 'fastify';
import { senderOf } from '../../admission/sender.ts';
import {
  refuseUploadEarly,
  spoolUpload,
  storeUpload,
  type UploadDependencies,
} from '../../admission/store-upload.ts';
import { fileObjectSchema } from '../../answers/file-object.ts';
import { chunksFreedAfterUse } from '../../body/chunks.ts';
import { isJsonContentType } from '../../body/read-body.ts';
import type { StoredFile } from '../../domain/file.ts';
import type { Principal } from '../../domain/key.ts';
import { refuse } from '../../domain/refusal.ts';
import { fileObject } from '../file-object.ts';
import type { HttpContext } from '../http-context.ts';
import {
  type IncomingUpload,
  type ReceivedUpload,
  readJsonUpload,
  readPurpose,
} from '../read-json-upload.ts';
import { readMultipart } from '../read-multipart.ts';
import { uploadRefusals } from '../refusals-of-route.ts';
import type { KeyRoute } from '../route.ts';

/** Memory that one upload reserves on its way to the disk, whatever its size. */
const streamBytes = 1024 * 1024;

/** Contract 4.2: one file a request, as a form or as JSON. */
export const uploadFile: KeyRoute = {
  method: 'POST',
  path: '/v1/files',
  auth: 'key',
  scope: 'files',
  errors: 'file',
  refusals: uploadRefusals,
  answers: {
    200: { description: 'The file.', body: fileObjectSchema },
  },
  docs: {
    tag: 'Files',
    operationId: 'uploadFile',
    summary: 'Stores one file for seven days',
    body: {
      // Contract 2.4: both forms.
      'multipart/form-data': {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary' } },
      },
      'application/json': {
        type: 'object',
        required: ['data', 'mime_type'],
        properties: {
          data: { type: 'string', description: 'Base64, or a data URL.' },
          mime_type: { type: 'string' },
          filename: { type: 'string' },
        },
      },
    },
  },
  open: context => async (principal, request) => {
    return fileObject(context, await receiveUpload(context, request, principal));
  },
};

/** The same for other routes; `part` is the name of the file in a form. */
export async function receiveUpload(
  context: HttpContext,
  request: FastifyRequest,
  principal: Principal,
  part = 'file',
): Promise<StoredFile> {
  // Before the body is read: rate and storage limits need only the principal.
  await refuseUploadEarly(context, principal);
  // The reservation ends with the request, whatever becomes of it.
  return context.memoryBudget.withReservation(principal.keyId, async room => {
    const reserve = () => room.reserve(streamBytes);
    const incoming = { message: request.raw, principal, reservation: { ...room, reserve } };
    const arrived = await readUpload(context, incoming, part);
    return storeUpload(context, principal, arrived.checked, arrived);
  });
}

/** Spools the file of the request, by its content type. */
async function readUpload(
  context: UploadDependencies,
  incoming: IncomingUpload,
  part: string,
): Promise<ReceivedUpload> {
  const contentType = incoming.message.headers['content-type'];
  if (isJsonContentType(contentType)) return readJsonUpload(context, incoming);
  if (/^multipart\/form-data\s*;/i.test(contentType?.trim() ?? ''))
    return readFormUpload(context, incoming, part);
  throw refuse('file_request_invalid', {
    subject: 'Content-Type must be multipart/form-data with a boundary, or application/json',
  });
}

/** Spools the file of a multipart form. */
async function readFormUpload(
  context: UploadDependencies,
  { message, principal, reservation }: IncomingUpload,
  part: string,
): Promise<ReceivedUpload> {
  const sender = senderOf(message, principal);
  const { file, fields } = await readMultipart(message, {
    part,
    reserve: () => reservation.reserve(streamBytes),
    take: async ({ content, fileName, declaredMimeType }) => ({
      fileName,
      checked: await spoolUpload(
        context,
        sender,
        chunksFreedAfterUse(content, reservation.waitForTurn),
        () => ({
          fileName,
          declaredMimeType,
          typeField: 'file',
        }),
      ),
    }),
    drop: ({ checked }) => checked.drop(),
  });
  // Contract 7.3. A form of other fields alone is complete, so this is known only at its end.
  if (!file) throw refuse('file_required');
  try {
    return { ...file, purpose: readPurpose(fields.get('purpose')) };
  } catch (failure) {
    // The bytes lie on the disk already.
    await file.checked.drop();
    throw failure;
  }
}
