/** A collector of OTLP spans that keeps what it receives. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it came, in the JSON of OTLP. */
export interface Collected {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** Takes traces as a collector does. */
export interface Collector {
  readonly url: string;
  /** The bodies as they came. */
  readonly texts: readonly string[];
  spans(): readonly Collected[];
  close(): Promise<void>;
}

export async function openCollector(code = 200): Promise<Collector> {
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    if (request.method === 'POST' && request.url === '/v1/traces') texts.push(text);
    response.writeHead(code, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    texts,
    spans: () => texts.flatMap(spansIn),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly Collected[] }[];
  }[];
}

function spansIn(text: string): readonly Collected[] {
  const { resourceSpans }: Sent = JSON.parse(text);
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
