/** MCP by streamable HTTP, without sessions. */

import type { KeyId } from '../../domain/ids.ts';
import type { FetchFileFor } from './fetch-file.ts';
import { openGatewayClient } from './gateway-client.ts';
import { openMcpServers } from './mcp-server.ts';
import type { ToolContext } from './tool.ts';

/** Answers one request of the protocol, whose body was read already and whose key is known. */
export type ServeMcp = (request: Request, body: unknown, keyId: KeyId) => Promise<Response>;

export interface ServeMcpDependencies extends Pick<ToolContext, 'onUnexpectedError'> {
  readonly fetchFileFor: FetchFileFor;
}

/**
 * Streamable HTTP without sessions: every request is served by itself, so any process can. The tools ask the
 * gateway at the address and with the key of the request.
 */
export async function openServeMcp({
  fetchFileFor,
  onUnexpectedError,
}: ServeMcpDependencies): Promise<ServeMcp> {
  const [{ createMcpHandler }, make] = await Promise.all([
    import('@modelcontextprotocol/server'),
    openMcpServers(),
  ]);
  const handler = createMcpHandler(
    ({ requestInfo, authInfo }) => {
      if (!requestInfo || !authInfo) throw new Error('expected the request that is served');
      const place = {
        url: new URL(requestInfo.url).origin,
        authorization: requestInfo.headers.get('authorization') ?? '',
      };
      return make({
        onUnexpectedError,
        fetchFile: fetchFileFor(authInfo.clientId),
        gateway: openGatewayClient(place),
      });
    },
    // Tools never change while a client listens, so no stream is kept open.
    { maxSubscriptions: 0 },
  );
  return (request, parsedBody, keyId) =>
    handler.fetch(request, { parsedBody, authInfo: { token: '', clientId: keyId, scopes: [] } });
}
