import type { FastifyReply, FastifyRequest } from 'fastify';
import { disconnectSignal } from '../../admission/disconnect-signal.ts';
import { readJsonObject } from '../../body/read-body.ts';
import { openFairQueue } from '../../domain/fair-queue.ts';
import type { KeyId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import { openFetchFile } from '../mcp/fetch-file.ts';
import { refuseForeignOrigin } from '../mcp/refuse-foreign-origin.ts';
import { openServeMcp, type ServeMcp } from '../mcp/serve-over-http.ts';
import { type HttpContext, identify, type Route } from '../route.ts';

/** As much as a message on stdio may have; larger files are uploaded by their address. */
const maxBytes = 10 * 1024 * 1024;
/**
 * Calls at one moment. A tool asks this gateway by a connection of its own, and may wait there for a job: all of them
 * together stay far below what one address may have, and no key has all the places.
 */
const callLimits = { running: 96, runningPerShare: 16, waiting: 192, waitingPerShare: 32 };

/** The tools of the Model Context Protocol, by streamable HTTP, with the keys of the queue. */
export const callMcp = (parts: HttpContext): Route => {
  const { outbound, spool, log } = parts;
  const calls = openFairQueue<KeyId>(callLimits);
  let opened: Promise<ServeMcp> | null = null;
  const open = () =>
    openServeMcp({
      fetchFileFor: openFetchFile(outbound, spool.folder),
      onUnexpectedError: failure => log.error({ err: failure }, 'a tool failed'),
    });
  return {
    method: 'POST',
    path: '/mcp',
    errors: 'detail',
    async handle(request, reply) {
      refuseForeignOrigin(request.raw.headers, parts.publicUrl());
      const { keyId } = await identify(parts, request, 'any-key');
      // Held to the end of the answer, because so long the input lies in memory.
      return parts.memoryBudget.withReservation(keyId, async reservation => {
        const tooLarge = () => refuse('body_too_large');
        const body = await readJsonObject(request.raw, { maxBytes, tooLarge, reservation });
        opened ??= open();
        const serve = await opened;
        const answer = async () =>
          void (await reply.send(await serve(webRequestOf(request, reply), body, keyId)));
        await calls.run(keyId, answer, disconnectSignal(request.raw));
        return reply;
      });
    },
  };
};

/** There are no sessions, so there is nothing to listen to: clients ask, and go on without. */
export const refuseMcpStream = (): Route => ({
  method: 'GET',
  path: '/mcp',
  errors: 'detail',
  isUnlisted: true,
  handle: async (_request, reply) => {
    reply.header('allow', 'POST');
    throw refuse('mcp_only_posted');
  },
});

/** Addressed to where its tools find this gateway: the very address that the connection came to. */
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

const isPassed = (name: string): boolean =>
  ['accept', 'authorization', 'content-type'].includes(name) || name.startsWith('mcp-');
