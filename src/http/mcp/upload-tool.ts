/** The MCP tool that uploads a file from a path, a URL or base64. */

import { openAsBlob } from 'node:fs';
import { z } from 'zod';
import { bodyOf } from './gateway-client.ts';
import { defineTool, type ToolCall, type ToolContext } from './tool.ts';
import { ToolFailed } from './tool-failed.ts';

/** What the tool reads of a file object (Contract 2.3). */
const file = z.looseObject({
  id: z.string(),
  filename: z.string(),
  mime_type: z.string(),
  bytes: z.number(),
});

/** Two ways to give the content; exactly one is used. */
const input = z.strictObject({
  data: z.string().optional().describe('The content: base64 with mime_type, or a data URL. For small files.'),
  mime_type: z.string().max(200).optional().describe('Of data that is plain base64, such as image/png.'),
  url: z.string().max(8192).optional().describe('A public web address instead of data; at most 40 MB.'),
  filename: z.string().max(255).optional(),
});
/** Valid arguments. */
type Given = z.output<typeof input>;

/** Uploads a file and returns its id for inputs. */
export const uploadFile = defineTool({
  name: 'upload_file',
  title: 'Upload a file',
  description:
    'Keeps a picture, video or sound for seven days and gives its id, which every media field of an input takes. Give data or url.',
  input,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run(given, context, call) {
    if ((given.data === undefined) === (given.url === undefined))
      throw new ToolFailed('Exactly one of data and url is required.');
    const answered =
      given.url === undefined
        ? await sendData(given, context, call)
        : await sendFetched(given, given.url, context, call);
    const kept = bodyOf(answered, file);
    return {
      text: `Kept as ${kept.id} (${kept.mime_type}, ${kept.bytes} bytes).\nNext: put this id where the input of a model takes media.`,
      structured: kept,
    };
  },
});

/** Uploads base64 as JSON. */
function sendData({ data, mime_type, filename }: Given, { gateway }: ToolContext, { signal }: ToolCall) {
  // A data URL names its type itself.
  const type = mime_type ?? /^data:([^;,]+)/i.exec(data ?? '')?.[1];
  const body = JSON.stringify({ data, mime_type: type, filename });
  return gateway.request('POST', '/v1/files', { body, signal });
}

/** The type is decided by the bytes, and where they leave it open by the name. */
function sendFetched(
  { filename }: Given,
  url: string,
  { gateway, fetchFile }: ToolContext,
  { signal }: ToolCall,
) {
  return fetchFile(url, signal, async path => {
    const body = new FormData();
    body.append('file', await openAsBlob(path), filename ?? nameIn(url));
    return gateway.request('POST', '/v1/files', { body, signal });
  });
}

/** The file name at the end of a URL. */
function nameIn(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  return last === '' ? 'file' : last;
}
