/** A server on this machine for what plays an upstream; a handler that fails answers 500. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Answers one request; a rejection becomes a 500 where nothing was sent yet. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface Listening {
  readonly url: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** On any free port unless one is named. */
export async function listen(serve: Serve, port = 0): Promise<Listening> {
  const server = createServer((request, response) => {
    serve(request, response).catch(failure => {
      if (!response.headersSent) response.writeHead(500).end(String(failure));
    });
  });
  // A connection that is reset under a request is what half of the scripts ask for.
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

const maxBodyBytes = 64 * 1024 * 1024;

/** The whole body of a request. */
export async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
