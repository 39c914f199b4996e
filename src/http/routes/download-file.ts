/** Download a file by its signed URL. */

import { fileIdFromRow } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import { readFile } from '../../store/files/files.ts';
import type { OpenRoute } from '../route.ts';
import { sendFile } from '../send-file.ts';

/** A signed URL: the only way to the bytes, without a key, with HEAD and ranges. */
export const downloadFile: OpenRoute = {
  method: ['GET', 'HEAD'],
  path: '/v1/f/*',
  auth: 'signed',
  addressRate: 'files',
  errors: 'file',
  refusals: ['invalid_signature', 'url_expired', 'file_not_found', 'file_range_invalid'],
  answers: {
    200: { description: 'The bytes.', body: null },
    206: { description: 'A range of the bytes.', body: null },
    304: { description: 'The client has these bytes.', body: null },
  },
  docs: { undocumented: 'a signed URL is taken from an answer and never built' },
  open: context => async (request, reply) => {
    const now = context.clock.now();
    // Signature first: an address that was not made here says nothing about files.
    const verdict = context.signer.verify(request.url, now);
    if (verdict.kind === 'invalid') throw refuse('invalid_signature');
    if (verdict.kind === 'expired') throw refuse('url_expired');
    const file = await readFile(context.db, fileIdFromRow(verdict.fileId), now);
    if (!file) throw refuse('file_not_found');
    return sendFile(context, request, reply, file);
  },
};
