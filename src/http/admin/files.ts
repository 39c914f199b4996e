import type { FastifyRequest } from 'fastify';
import type { StoredFile } from '../../domain/file.ts';
import { type FileId, fileIdFromRow, parseFileId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import { deleteFile, type ListedFile, listFilesOfAllUsers, readFile } from '../../store/files/files.ts';
import { fileObject } from '../file-object.ts';
import { type HttpContext, pathValue, queryValue, type Route } from '../route.ts';
import { receiveUpload } from '../routes/upload-file.ts';
import { refuseField } from './admin-body.ts';
import { identifyOperator } from './identify-operator.ts';
import { consolePrincipal } from './playground.ts';
import { choiceOf, limitOf, refuseUnknownQuery } from './read-query.ts';

const defaultLimit = 50;

/** Files of all users, the newest first. */
export const listAllFiles = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/files',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    refuseUnknownQuery(request, ['source', 'limit', 'after']);
    const limit = limitOf(request, defaultLimit);
    const source = choiceOf(request, 'source', ['upload', 'input', 'output'] as const);
    const now = parts.clock.now();
    const after = await readAfter(parts, request, now);
    const found = await listFilesOfAllUsers(parts.db, { source, after, now, limit: limit + 1 });
    const shown = found.slice(0, limit);
    return {
      object: 'list',
      data: shown.map(file => fileBody(parts, file)),
      has_more: found.length > limit,
      next_after: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
    };
  },
});

/** One file with a fresh address. */
export const getAnyFile = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/admin/v1/files/:fileId',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    const file = await findAnyFile(parts, pathValue(request, 'fileId'));
    return fileBody(parts, file);
  },
});

/** An upload by the console's own user, for the playground. */
export const uploadFromConsole = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/admin/v1/files',
  errors: 'file',
  async handle(request) {
    await identifyOperator(parts, request, 'developer');
    return withPath(parts, await receiveUpload(parts, request, await consolePrincipal(parts)));
  },
});

export const deleteAnyFile = (parts: HttpContext): Route => ({
  method: 'DELETE',
  path: '/admin/v1/files/:fileId',
  errors: 'detail',
  async handle(request) {
    await identifyOperator(parts, request);
    const file = await findAnyFile(parts, pathValue(request, 'fileId'));
    await deleteFile(parts.db, file.id, file.userId, parts.clock.now());
    return { id: file.id, object: 'file', deleted: true };
  },
});

async function findAnyFile({ db, clock }: HttpContext, text: string): Promise<StoredFile> {
  const id = parseFileId(text);
  const file = id && (await readFile(db, id, clock.now()));
  if (!file) throw refuse('admin_file_unknown');
  return file;
}

async function readAfter(
  { db }: HttpContext,
  request: FastifyRequest,
  now: number,
): Promise<StoredFile | null> {
  const after = queryValue(request, 'after');
  if (after === undefined || after === '') return null;
  const id: FileId | null = parseFileId(after);
  const file = id && (await readFile(db, fileIdFromRow(id), now));
  return file ?? refuseField('after', 'must be the id of a file that is there');
}

const fileBody = (parts: HttpContext, file: ListedFile | StoredFile) => ({
  ...withPath(parts, file),
  request_id: file.jobId,
  user: 'userName' in file ? file.userName : null,
});

/** With an address that is relative to wherever the console is. */
const withPath = (parts: HttpContext, file: StoredFile) => ({
  ...fileObject(parts, file),
  url: fileObject({ ...parts, publicUrl: () => '' }, file).url.slice(1),
});
