/** An HTTP server on loopback for scripted upstreams, whose connections are reset under requests on purpose. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const maxBodyBytes = 64 * 1024 * 1024;

export interface Listening {
  readonly url: string;
  /** Closes all connections, those with unanswered requests included. */
  close(): Promise<void>;
}

/** Port 0: any free one. A request whose answer fails gets a 500 with the failure. */
export async function listen(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  port = 0,
): Promise<Listening> {
  const server = createServer((request, response) => {
    serve(request, response).catch(failure => {
      if (!response.headersSent) response.writeHead(500).end(String(failure));
    });
  });
  // Many scripts reset the connection under a request: that is not an error here.
  server.on('clientError', (_, socket) => socket.destroy());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('expected an address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** The whole body, 64 MiB at most. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
