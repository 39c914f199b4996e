/** The Model Context Protocol over HTTP. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { disconnectSignal } from '../../admission/disconnect-signal.ts';
import { readJsonObject } from '../../body/read-body.ts';
import { openFairQueue } from '../../domain/fair-queue.ts';
import type { KeyId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import type { HttpContext } from '../http-context.ts';
import { openFetchFile } from '../mcp/fetch-file.ts';
import { refuseForeignOrigin } from '../mcp/refuse-foreign-origin.ts';
import { openServeMcp, type ServeMcp } from '../mcp/serve-over-http.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import type { KeyRoute, OpenRoute } from '../route.ts';

/** As much as a message on stdio may have; larger files are uploaded by URL. */
const maxBytes = 10 * 1024 * 1024;
/**
 * Calls at one moment. A tool calls this gateway by a connection of its own, and may wait there for a job: all calls
 * together stay far below the connection limit of one address, and no key can use all of them.
 */
const callLimits = { running: 96, runningPerShare: 16, waiting: 192, waitingPerShare: 32 };

/** The tools of the Model Context Protocol, by streamable HTTP, with the keys of the queue. */
export const callMcp: KeyRoute = {
  method: 'POST',
  path: '/mcp',
  auth: 'key',
  scope: 'any-key',
  precheck: (request, { publicUrl }) => refuseForeignOrigin(request.raw.headers, publicUrl()),
  errors: 'detail',
  refusals: ['host_foreign', 'origin_foreign', 'bodies_full', 'bodies_of_key_full', ...jsonBodyRefusals],
  answers: {
    200: { description: 'As the Model Context Protocol has it.', body: null },
    202: { description: 'A notification was accepted.', body: null },
  },
  docs: { undocumented: 'its messages are those of the Model Context Protocol; docs/mcp.md lists the tools' },
  open: context => {
    const calls = openFairQueue<KeyId>(callLimits);
    const serve = openServeOnce(context);
    // The reservation lasts to the end of the answer, because the input stays in memory that long.
    return ({ keyId }, request, reply) =>
      context.memoryBudget.withReservation(keyId, async reservation => {
        const tooLarge = () => refuse('body_too_large');
        const body = await readJsonObject(request.raw, { maxBytes, tooLarge, reservation });
        const serveMcp = await serve();
        const answer = async () =>
          void (await reply.send(await serveMcp(webRequestOf(request, reply), body, keyId)));
        await calls.run(keyId, answer, disconnectSignal(request.raw));
        return reply;
      });
  },
};

/** Opened at the first call: the protocol's library is large, and most gateways never need it. */
function openServeOnce({ outbound, spool, log }: HttpContext): () => Promise<ServeMcp> {
  let opened: Promise<ServeMcp> | null = null;
  return () => {
    opened ??= openServeMcp({
      fetchFileFor: openFetchFile(outbound, spool.folder),
      onUnexpectedError: failure => log.error({ err: failure }, 'MCP tool failed: internal error'),
    });
    return opened;
  };
}

/** There are no sessions, so there is no stream: clients notice, and continue without. */
export const refuseMcpStream: OpenRoute = {
  method: 'GET',
  path: '/mcp',
  auth: 'none',
  addressRate: null,
  errors: 'detail',
  isUnlisted: true,
  refusals: ['mcp_only_posted'],
  answers: {},
  docs: { undocumented: 'there is no stream, and the answer says so' },
  open: () => async (_request, reply) => {
    reply.header('allow', 'POST');
    throw refuse('mcp_only_posted');
  },
};

/** The request for the protocol's library, with the address that the connection used: tools call this gateway there. */
function webRequestOf({ raw }: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const { localAddress = '127.0.0.1', localPort, localFamily } = raw.socket;
  const host = localFamily === 'IPv6' ? `[${localAddress}]` : localAddress;
  const passed = Object.entries(raw.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && isPassed(name) ? [[name, value]] : [],
  );
  return new Request(`http://${host}:${localPort}/mcp`, {
    method: 'POST',
    headers: passed,
    signal: gone.signal,
  });
}

/** Headers that the protocol needs. */
const isPassed = (name: string): boolean =>
  ['accept', 'authorization', 'content-type'].includes(name) || name.startsWith('mcp-');
