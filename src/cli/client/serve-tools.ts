/** Runs the MCP server of `atelier mcp`. */
import { tmpdir } from 'node:os';
import { openFetchFile } from '../../http/mcp/fetch-file.ts';
import { openGatewayClient } from '../../http/mcp/gateway-client.ts';
import { openMcpServers } from '../../http/mcp/mcp-server.ts';
import { openOutbound } from '../../media/outbound.ts';
import { CommandError } from '../command-error.ts';
import { type ClientCommandOptions, findKnownIdentity } from './command-context.ts';

/** Serves the tools on stdio until the parent process closes stdin. */
export async function serveTools(options: ClientCommandOptions): Promise<void> {
  const identity = await findKnownIdentity(options);
  if (!identity)
    throw new CommandError(
      'No gateway is configured. Set ATELIER_URL and ATELIER_API_KEY, or: atelier login',
    );
  // `upload_file` fetches addresses that a model names: private ones only where the operator of this machine says
  // so.
  const outbound = openOutbound({ allowPrivate: process.env.ATELIER_ALLOW_PRIVATE_NETWORK === '1' });
  const dependencies = {
    gateway: openGatewayClient({ url: identity.url, authorization: `Bearer ${identity.key}` }),
    fetchFile: openFetchFile(outbound, tmpdir())(identity.key),
    onUnexpectedError: (failure: unknown) =>
      void process.stderr.write(`A tool failed: ${errorText(failure)}\n`),
  };
  // Loaded here, because no other command needs the protocol.
  const [{ serveStdio }, openServer] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    openMcpServers(),
  ]);
  const ended = new Promise(resolve => process.stdin.once('end', resolve).once('close', resolve));
  const server = serveStdio(() => openServer(dependencies));
  await ended;
  await server.close();
  await outbound.close();
}

/** With its stack: stderr is the log of a tool server. */
const errorText = (failure: unknown): string =>
  failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
