/** The transports of an MCP client, and the call of a tool. */
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { TestGateway } from '../../testkit/gateway/gateway.ts';

/** A transport by which a program calls the tools of a gateway. */
export interface Way {
  readonly name: string;
  connect(gateway: Pick<TestGateway, 'url'>, key: string): Promise<Client>;
}

const program = fileURLToPath(new URL('../../bin/atelier.js', import.meta.url));

type Revision = 'legacy' | 'auto';

const open = (mode: Revision): Client =>
  new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });

const overHttp = (name: string, mode: Revision): Way => ({
  name,
  async connect({ url }, key) {
    const client = open(mode);
    const headers = { authorization: `Bearer ${key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }),
    );
    return client;
  },
});

export const onStdio: Way = {
  name: 'on stdio',
  async connect({ url }, key) {
    const client = open('legacy');
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [program, 'mcp'],
        env: { ATELIER_URL: url, ATELIER_API_KEY: key, ATELIER_ALLOW_PRIVATE_NETWORK: '1' },
      }),
    );
    return client;
  },
};

export const ways: readonly Way[] = [onStdio, overHttp('over HTTP', 'legacy')];

/** The revision of the protocol in which each request is independent. */
export const withoutHandshake = overHttp('over HTTP, without a handshake', 'auto');

/** The result of a tool; the text is the first of its content. */
export async function call(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>>,
  onprogress?: (progress: { readonly progress: number; readonly message?: string | undefined }) => void,
) {
  const answer = await client.callTool(
    { name, arguments: { ...args } },
    onprogress ? { onprogress, timeout: 60_000 } : {},
  );
  const [first, ...links] = answer.content;
  return {
    text: first?.type === 'text' ? first.text : '',
    links,
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
    structured: answer.structuredContent as any,
    isError: answer.isError ?? false,
  };
}
