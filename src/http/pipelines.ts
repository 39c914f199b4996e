/** Pipelined requests of a connection, one at a time. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { builtInHttp } from './built-in-http.ts';

/** Requests of one connection that may be without an answer at one moment; no client of good will has as many. */
const maxUnanswered = 64;

/**
 * The requests of a connection one after another. HTTP/1.1 lets a client send them without reading any answer, and
 * node:http begins all requests of one packet at once: a thousand answers would be made and buffered.
 */
export interface Pipelines {
  /**
   * Calls `begin` once every earlier request of the connection is answered, and `end` once its answer was sent or cut;
   * neither where the connection ends before that.
   */
  enter(request: IncomingMessage, response: ServerResponse, begin: () => void, end?: () => void): void;
}

/** What happens on a connection. */
export interface PipelineEvents<Answer> {
  /** More requests than are allowed are unanswered: the connection was cut. */
  readonly onFlood: () => void;
  /** Returns what `onAnswered` is given. */
  readonly onBegun: (socket: Socket) => Answer;
  readonly onAnswered: (answer: Answer) => void;
  /** Everything is answered, and the connection stays open. */
  readonly onIdle: (socket: Socket) => void;
}

/** The requests of one connection, which are answered in the order of their arrival (RFC 9112, 9.3.2). */
interface Pipeline {
  isAnswering: boolean;
  readonly waiting: Waiting[];
}
/** A request that waits for the answers before it. */
interface Waiting {
  readonly response: ServerResponse;
  readonly begin: () => void;
  readonly end: (() => void) | undefined;
}

/** Calls back when requests begin and are answered, in order for each connection. */
export function openPipelines<Answer>({
  onFlood,
  onBegun,
  onAnswered,
  onIdle,
}: PipelineEvents<Answer>): Pipelines {
  const lines = new WeakMap<Socket, Pipeline>();

  function lineOf(socket: Socket): Pipeline {
    const known = lines.get(socket);
    if (known) return known;
    const line: Pipeline = { isAnswering: false, waiting: [] };
    lines.set(socket, line);
    return line;
  }

  function start(socket: Socket, line: Pipeline, { response, begin, end }: Waiting): void {
    line.isAnswering = true;
    const answer = onBegun(socket);
    response.once('close', () => {
      line.isAnswering = false;
      onAnswered(answer);
      end?.();
      goOn(socket, line);
    });
    begin();
  }

  function goOn(socket: Socket, line: Pipeline): void {
    // An answer that ends the connection is the last one: what came behind it is not even begun.
    if (socket.destroyed || !socket.writable) line.waiting.length = 0;
    else {
      const next = line.waiting.shift();
      if (next) start(socket, line, next);
      else onIdle(socket);
    }
  }

  return {
    enter({ socket }, response, begin, end) {
      if (socket.destroyed) return;
      const line = lineOf(socket);
      if (!line.isAnswering) return start(socket, line, { response, begin, end });
      if (line.waiting.length < maxUnanswered - 1) return void line.waiting.push({ response, begin, end });
      line.waiting.length = 0;
      socket.destroy();
      onFlood();
    },
  };
}

/**
 * A request as node:http makes it. Of a connection that was cut it would still parse all that came in the same piece,
 * and keep it until the connection is closed: what claims to be an upgrade ends the parsing.
 */
export class PipelinedMessage extends builtInHttp.IncomingMessage {
  constructor(socket: Socket) {
    super(socket);
    if (socket.destroyed) Object.defineProperty(this, 'upgrade', { get: () => true, set: () => {} });
  }
}
