import type { KeyId } from '../../domain/ids.ts';
import { openGatewayOver } from './ask-gateway.ts';
import type { FetchFileFor } from './fetch-file.ts';
import { openMcpServers } from './mcp-server.ts';
import type { ToolParts } from './tool.ts';

/** Answers one request of the protocol, whose body was read already and whose key is known. */
export type ServeMcp = (request: Request, body: unknown, keyId: KeyId) => Promise<Response>;

export interface ServeMcpParts extends Pick<ToolParts, 'onBug'> {
  readonly fetchFileFor: FetchFileFor;
}

/**
 * Streamable HTTP without sessions: every request is served by itself, so any process can. The tools ask the
 * gateway at the address and with the key of the request.
 */
export async function openServeMcp({ fetchFileFor, onBug }: ServeMcpParts): Promise<ServeMcp> {
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
      return make({ onBug, fetchFile: fetchFileFor(authInfo.clientId), gateway: openGatewayOver(place) });
    },
    // Tools never change while a client listens, so nobody is kept listening.
    { maxSubscriptions: 0 },
  );
  return (request, parsedBody, keyId) =>
    handler.fetch(request, { parsedBody, authInfo: { token: '', clientId: keyId, scopes: [] } });
}
