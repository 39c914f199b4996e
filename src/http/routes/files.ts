/** A user's files: read, list, delete. */

import type { FastifyRequest } from 'fastify';
import { fileDeletionSchema, fileObjectSchema, filePageSchema } from '../../answers/file-object.ts';
import type { StoredFile } from '../../domain/file.ts';
import { parseFileId } from '../../domain/ids.ts';
import type { Principal } from '../../domain/key.ts';
import { refuse } from '../../domain/refusal.ts';
import { deleteFile as deleteInStore, listUploads, readFileOfUser } from '../../store/files/files.ts';
import { fileObject, signedUrlOf } from '../file-object.ts';
import type { HttpContext } from '../http-context.ts';
import { pageBody } from '../page-body.ts';
import { inQuery, limitParameter } from '../parameters.ts';
import { pathValue, queryValue } from '../request-values.ts';
import type { KeyRoute } from '../route.ts';

/** Files of a page, unless the query has a `limit`. */
const defaultLimit = 20;
/** The most of a page. */
const maxLimit = 100;

/** The file object, with a new signed URL (Contract 3). */
export const getFile: KeyRoute = {
  method: 'GET',
  path: '/v1/files/:fileId',
  auth: 'key',
  scope: 'files',
  errors: 'file',
  refusals: ['file_not_found'],
  answers: {
    200: { description: 'The file.', body: fileObjectSchema },
  },
  docs: {
    tag: 'Files',
    operationId: 'getFile',
    summary: 'A file, with a fresh URL',
  },
  open: context => async (principal, request) =>
    fileObject(context, await findOwnFile(context, principal, request)),
};

/** For clients that download with their key: redirects to the signed URL. */
export const getFileContent: KeyRoute = {
  method: 'GET',
  path: '/v1/files/:fileId/content',
  auth: 'key',
  scope: 'files',
  errors: 'file',
  refusals: ['file_not_found'],
  answers: {
    302: { description: 'Location is the signed URL.', body: null },
  },
  docs: {
    tag: 'Files',
    operationId: 'getFileContent',
    summary: 'Redirects to the signed URL',
  },
  open: context => async (principal, request, reply) => {
    const file = await findOwnFile(context, principal, request);
    return reply.redirect(signedUrlOf(context, file), 302);
  },
};

/** Uploads of the user, a page at a time. */
export const listFiles: KeyRoute = {
  method: 'GET',
  path: '/v1/files',
  auth: 'key',
  scope: 'files',
  errors: 'file',
  refusals: ['file_request_invalid'],
  answers: {
    200: { description: 'A page.', body: filePageSchema },
  },
  docs: {
    tag: 'Files',
    operationId: 'listFiles',
    summary: 'Your uploads',
    parameters: [
      limitParameter,
      inQuery('order', { enum: ['asc', 'desc'], default: 'desc' }),
      inQuery('after', { type: 'string' }),
    ],
  },
  open:
    context =>
    async ({ userId }, request) => {
      const limit = readLimit(request);
      const order = readOrder(request);
      const now = context.clock.now();
      const after = queryValue(request, 'after');
      // The cursor has to be a live file of the user, because the page is ordered by its time.
      const afterId = after === undefined ? null : parseFileId(after);
      const afterFile = afterId && (await readFileOfUser(context.db, afterId, userId, now));
      if (after !== undefined && !afterFile) {
        throw refuse('file_request_invalid', {
          subject: 'after must be the id of one of your files',
          param: 'after',
        });
      }
      const found = await listUploads(context.db, { userId, now, limit: limit + 1, order, after: afterFile });
      const data = found.slice(0, limit).map(file => fileObject(context, file));
      return pageBody({ data, hasMore: found.length > limit, idOf: ({ id }) => id });
    },
};

/** Deletes a file at once; its bytes follow soon after. */
export const deleteFile: KeyRoute = {
  method: 'DELETE',
  path: '/v1/files/:fileId',
  auth: 'key',
  scope: 'files',
  errors: 'file',
  refusals: ['file_not_found'],
  answers: {
    200: { description: 'The file is deleted.', body: fileDeletionSchema },
  },
  docs: {
    tag: 'Files',
    operationId: 'deleteFile',
    summary: 'Deletes a file',
  },
  open:
    context =>
    async ({ userId }, request) => {
      const id = parseFileId(pathValue(request, 'fileId'));
      if (!id || !(await deleteInStore(context.db, id, userId, context.clock.now())))
        throw refuse('file_not_found');
      return { id, object: 'file', deleted: true };
    },
};

/** A live file of the caller's user; throws the refusal of any other. */
async function findOwnFile(
  context: HttpContext,
  { userId }: Principal,
  request: FastifyRequest,
): Promise<StoredFile> {
  const id = parseFileId(pathValue(request, 'fileId'));
  const file = id && (await readFileOfUser(context.db, id, userId, context.clock.now()));
  if (!file) throw refuse('file_not_found');
  return file;
}

/** The size of the page. */
function readLimit(request: FastifyRequest): number {
  const limit = queryValue(request, 'limit') ?? String(defaultLimit);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxLimit) {
    throw refuse('file_request_invalid', {
      subject: `limit must be between 1 and ${maxLimit}`,
      param: 'limit',
    });
  }
  return Number(limit);
}

/** The order by time of upload. */
function readOrder(request: FastifyRequest): 'asc' | 'desc' {
  const order = queryValue(request, 'order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') {
    throw refuse('file_request_invalid', { subject: 'order must be asc or desc', param: 'order' });
  }
  return order;
}
