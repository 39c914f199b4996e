import { openGatewayOver } from './ask-gateway.ts';
import type { FetchFile } from './fetch-file.ts';
import { openMcpServers } from './mcp-server.ts';
import type { ToolParts } from './tool.ts';

/** Answers one request of the protocol, whose body was read already. */
export type ServeMcp = (request: Request, body: unknown) => Promise<Response>;

/**
 * Streamable HTTP without sessions: every request is served by itself, so any process can. The tools ask the
 * gateway at the address and with the key of the request.
 */
export async function openServeMcp(parts: Omit<ToolParts, 'gateway'>): Promise<ServeMcp> {
  const [{ createMcpHandler }, make] = await Promise.all([
    import('@modelcontextprotocol/server'),
    openMcpServers(),
  ]);
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      if (!requestInfo) throw new Error('expected the request that is served');
      const place = {
        url: new URL(requestInfo.url).origin,
        authorization: requestInfo.headers.get('authorization') ?? '',
      };
      const fetchFile: FetchFile = (url, signal, use) =>
        parts.fetchFile(url, signal, use, place.authorization);
      return make({ ...parts, fetchFile, gateway: openGatewayOver(place) });
    },
    // Tools never change while a client listens, so nobody is kept listening.
    { maxSubscriptions: 0 },
  );
  return (request, parsedBody) => handler.fetch(request, { parsedBody });
}
