import type { FastifyRequest } from 'fastify';
import type { StoredFile } from '../../domain/file.ts';
import { parseFileId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import { deleteFile as deleteInStore, listUploads, readFileOfUser } from '../../store/files/files.ts';
import { fileObject, signedUrlOf } from '../file-object.ts';
import { type HttpContext, identify, pathValue, queryValue, type Route } from '../route.ts';

const defaultLimit = 20;
const maxLimit = 100;

/** The file information again, with a new signed address (Contract 3). */
export const getFile = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/v1/files/:fileId',
  errors: 'file',
  handle: async request => fileObject(parts, await findOwnFile(parts, request)),
});

/** For clients that download with their key: on to the signed address. */
export const getFileContent = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/v1/files/:fileId/content',
  errors: 'file',
  async handle(request, reply) {
    const file = await findOwnFile(parts, request);
    return reply.redirect(signedUrlOf(parts, file), 302);
  },
});

/** One's own uploads, a page at a time. */
export const listFiles = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/v1/files',
  errors: 'file',
  async handle(request) {
    const { userId } = await identify(parts, request, 'files');
    const limit = readLimit(request);
    const order = readOrder(request);
    const now = parts.clock.now();
    const after = queryValue(request, 'after');
    const afterId = after === undefined ? null : parseFileId(after);
    const afterFile = afterId && (await readFileOfUser(parts.db, afterId, userId, now));
    if (after !== undefined && !afterFile) {
      throw refuse('file_request_invalid', {
        subject: 'after must be the id of one of your files',
        param: 'after',
      });
    }
    const found = await listUploads(parts.db, { userId, now, limit: limit + 1, order, after: afterFile });
    const data = found.slice(0, limit).map(file => fileObject(parts, file));
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: found.length > limit,
    };
  },
});

/** The file is gone from here on; its bytes follow soon after. */
export const deleteFile = (parts: HttpContext): Route => ({
  method: 'DELETE',
  path: '/v1/files/:fileId',
  errors: 'file',
  async handle(request) {
    const { userId } = await identify(parts, request, 'files');
    const id = parseFileId(pathValue(request, 'fileId'));
    if (!id || !(await deleteInStore(parts.db, id, userId, parts.clock.now())))
      throw refuse('file_not_found');
    return { id, object: 'file', deleted: true };
  },
});

async function findOwnFile(parts: HttpContext, request: FastifyRequest): Promise<StoredFile> {
  const { userId } = await identify(parts, request, 'files');
  const id = parseFileId(pathValue(request, 'fileId'));
  const file = id && (await readFileOfUser(parts.db, id, userId, parts.clock.now()));
  if (!file) throw refuse('file_not_found');
  return file;
}

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

function readOrder(request: FastifyRequest): 'asc' | 'desc' {
  const order = queryValue(request, 'order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') {
    throw refuse('file_request_invalid', { subject: 'order must be asc or desc', param: 'order' });
  }
  return order;
}
