/** The file that the address of the playground names to be used as an input. */
import { queryOptions } from '@tanstack/react-query';
import type { FileLine, JobDetail } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import type { UsedFile } from '../../form/fill-output.ts';

/** Kinds of media that fields take. */
const kinds = ['image', 'video', 'audio'] as const;

/** The file with the job that made it, since some models name a picture by its job. */
export const usedFileQuery = (fileId: string) =>
  queryOptions({
    queryKey: ['used-file', fileId],
    queryFn: async ({ signal }): Promise<UsedFile> => {
      const file = await callApi<FileLine>('GET', `files/${encodeURIComponent(fileId)}`, { signal });
      const kind = kinds.find(one => file.mime_type.startsWith(`${one}/`)) ?? 'image';
      return { id: fileId, kind, picture: await pictureOf(file, signal) };
    },
    staleTime: 30 * 60_000,
  });

/** Null for a file that is no output of a job, or whose size is unknown. */
async function pictureOf(file: FileLine, signal: AbortSignal): Promise<UsedFile['picture']> {
  const { request_id: jobId } = file;
  if (jobId === null || file.source !== 'output') return null;
  const job = await callApi<JobDetail>('GET', `jobs/${jobId}`, { signal });
  const output = job.outputs.find(({ file_id }) => file_id === file.id);
  if (output === undefined || output.width === null || output.height === null) return null;
  return { jobId, index: output.index, width: output.width, height: output.height };
}
