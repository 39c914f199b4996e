/** Files of all users in the admin API. */

import type { FastifyRequest } from 'fastify';
import { consoleUploadSchema, fileLineSchema, fileListSchema } from '../../answers/admin/file.ts';
import { fileDeletionSchema } from '../../answers/file-object.ts';
import type { StoredFile } from '../../domain/file.ts';
import { type FileId, fileIdFromRow, parseFileId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import { deleteFile, type ListedFile, listFilesOfAllUsers, readFile } from '../../store/files/files.ts';
import { fileObject } from '../file-object.ts';
import type { HttpContext } from '../http-context.ts';
import { uploadRefusals } from '../refusals-of-route.ts';
import { pathValue, queryValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { receiveUpload } from '../routes/upload-file.ts';
import { adminApi } from './admin-api.ts';
import { refuseField } from './admin-body.ts';
import { consolePrincipal } from './playground.ts';
import { choiceOf, limitOf, refuseUnknownQuery, searchTextOf } from './read-query.ts';

/** Files of a page: a screenful of thumbnails. */
const defaultLimit = 50;

/** Files of all users, newest first. */
export const listAllFiles: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/files',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['input_invalid'],
  answers: {
    200: { description: 'A page.', body: fileListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    refuseUnknownQuery(request, ['source', 'kind', 'user', 'q', 'limit', 'after']);
    const limit = limitOf(request, defaultLimit);
    const source = choiceOf(request, 'source', ['upload', 'input', 'output'] as const);
    const kind = choiceOf(request, 'kind', ['image', 'video', 'audio'] as const);
    const [userName, nameText] = [searchTextOf(request, 'user'), searchTextOf(request, 'q')];
    const now = context.clock.now();
    // The page is ordered by time, so the cursor has to be a live file.
    const after = await readAfter(context, request, now);
    const filter = { source, kind, userName, nameText };
    const found = await listFilesOfAllUsers(context.db, { ...filter, after, now, limit: limit + 1 });
    const shown = found.slice(0, limit);
    return {
      object: 'list',
      data: shown.map(file => fileBody(context, file)),
      has_more: found.length > limit,
      next_after: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
    };
  },
};

/** One file with a fresh URL. */
export const getAnyFile: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/files/:fileId',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: ['admin_file_unknown'],
  answers: {
    200: { description: 'The file.', body: fileLineSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const file = await findAnyFile(context, pathValue(request, 'fileId'));
    return fileBody(context, file);
  },
};

/** An upload of the console's user, for the playground. */
export const uploadFromConsole: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/files',
  auth: 'admin',
  role: 'developer',
  errors: 'file',
  refusals: ['console_key_revoked', 'rate_exceeded', ...uploadRefusals],
  answers: {
    200: { description: 'The file.', body: consoleUploadSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    return withPath(context, await receiveUpload(context, request, await consolePrincipal(context)));
  },
};

/** Deletes a file of any user. */
export const deleteAnyFile: AdminRoute = {
  method: 'DELETE',
  path: '/admin/v1/files/:fileId',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['admin_file_unknown'],
  answers: {
    200: { description: 'The file is deleted.', body: fileDeletionSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const file = await findAnyFile(context, pathValue(request, 'fileId'));
    // As by its own user: the bytes follow soon after.
    await deleteFile(context.db, file.id, file.userId, context.clock.now());
    return { id: file.id, object: 'file', deleted: true };
  },
};

/** The live file with that id; throws the refusal of an unknown one. */
async function findAnyFile({ db, clock }: HttpContext, text: string): Promise<StoredFile> {
  const id = parseFileId(text);
  const file = id && (await readFile(db, id, clock.now()));
  if (!file) throw refuse('admin_file_unknown');
  return file;
}

/** The file after which the page begins; null for the first page. */
async function readAfter(
  { db }: HttpContext,
  request: FastifyRequest,
  now: number,
): Promise<StoredFile | null> {
  const after = queryValue(request, 'after');
  if (after === undefined || after === '') return null;
  const id: FileId | null = parseFileId(after);
  const file = id && (await readFile(db, fileIdFromRow(id), now));
  return file ?? refuseField('after', 'must be the id of an existing file');
}

/** A file with its job and user; the user is known in lists alone. */
const fileBody = (context: HttpContext, file: ListedFile | StoredFile) => ({
  ...withPath(context, file),
  request_id: file.jobId,
  user: 'userName' in file ? file.userName : null,
});

/** With a URL relative to the gateway. */
const withPath = (context: HttpContext, file: StoredFile) => ({
  ...fileObject(context, file),
  url: fileObject({ ...context, publicUrl: () => '' }, file).url.slice(1),
});
