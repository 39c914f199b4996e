/** Files of clients of Replicate, which upload what an input holds before they create a prediction. */

import { z } from 'zod';
import { url } from '../../../answers/values.ts';
import type { StoredFile } from '../../../domain/file.ts';
import { parseFileId } from '../../../domain/ids.ts';
import { refuse } from '../../../domain/refusal.ts';
import { deleteFile, listUploads, readFileOfUser } from '../../../store/files/files.ts';
import { signedUrlOf } from '../../file-object.ts';
import type { HttpContext } from '../../http-context.ts';
import { uploadRefusals } from '../../refusals-of-route.ts';
import { pathValue } from '../../request-values.ts';
import type { KeyRoute } from '../../route.ts';
import { receiveUpload } from '../../routes/upload-file.ts';
import { ofMount } from './predictions.ts';

/** `urls.get` needs no key: the packages put it into the input of a prediction. */
const fileSchema = z.object({
  id: z.string(),
  name: z.string(),
  content_type: z.string(),
  size: z.int(),
  etag: z.string(),
  checksums: z.object({ sha256: z.string() }),
  metadata: z.object({}),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  urls: z.object({ get: url }),
});

/** One page holds them: the newest of them. */
const maxListed = 100;

/** A form with the file as `content`; its `metadata` is not kept. */
export const createFile: KeyRoute = {
  ...ofMount,
  method: 'POST',
  path: '/replicate/v1/files',
  scope: 'files',
  refusals: uploadRefusals,
  answers: { 201: { description: 'The file.', body: fileSchema } },
  open: context => async (principal, request, reply) => {
    // The same steps and limits as of any upload; the field has another name.
    const file = await receiveUpload(context, request, principal, 'content');
    reply.code(201);
    return fileBody(context, file);
  },
};

/** The uploads of the user. */
export const listFiles: KeyRoute = {
  ...ofMount,
  method: 'GET',
  path: '/replicate/v1/files',
  scope: 'files',
  refusals: [],
  answers: {
    200: {
      description: 'A page.',
      body: z.object({ previous: z.null(), next: z.null(), results: z.array(fileSchema) }),
    },
  },
  open:
    context =>
    async ({ userId }) => {
      const now = context.clock.now();
      const query = { userId, now, limit: maxListed, order: 'desc', after: null } as const;
      const files = await listUploads(context.db, query);
      return { previous: null, next: null, results: files.map(file => fileBody(context, file)) };
    },
};

/** One of them, with a fresh address. */
export const getFile: KeyRoute = {
  ...ofMount,
  method: 'GET',
  path: '/replicate/v1/files/:id',
  scope: 'files',
  refusals: ['file_not_found'],
  answers: { 200: { description: 'The file.', body: fileSchema } },
  open:
    context =>
    async ({ userId }, request) => {
      const id = parseFileId(pathValue(request, 'id'));
      const file = id && (await readFileOfUser(context.db, id, userId, context.clock.now()));
      if (!file) throw refuse('file_not_found');
      return fileBody(context, file);
    },
};

/** Deletes it at once. */
export const removeFile: KeyRoute = {
  ...ofMount,
  method: 'DELETE',
  path: '/replicate/v1/files/:id',
  scope: 'files',
  refusals: ['file_not_found'],
  answers: { 204: { description: 'The file is deleted.', body: null } },
  open:
    context =>
    async ({ userId }, request, reply) => {
      const id = parseFileId(pathValue(request, 'id'));
      if (!id || !(await deleteFile(context.db, id, userId, context.clock.now())))
        throw refuse('file_not_found');
      return reply.code(204).send();
    },
};

/** A file as the packages read it, with an address that needs no key. */
const fileBody = (context: Pick<HttpContext, 'clock' | 'signer' | 'publicUrl'>, file: StoredFile) => ({
  id: file.id,
  name: file.fileName,
  content_type: file.mimeType,
  size: file.bytes,
  etag: file.sha256,
  checksums: { sha256: file.sha256 },
  metadata: {},
  created_at: new Date(file.createdAt).toISOString(),
  expires_at: new Date(file.expiresAt).toISOString(),
  urls: { get: signedUrlOf(context, file) },
});
