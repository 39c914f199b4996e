/** The console: its page and its files. */

import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../domain/refusal.ts';
import type { otherCodes } from '../../domain/refusal-help.ts';
import { acceptsGzip } from '../accepts-gzip.ts';
import { readByteRange } from '../byte-range.ts';
import type { BuiltConsole, ConsoleFile } from '../console/built-console.ts';
import { setPageHeaders } from '../page-headers.ts';
import { pathValue } from '../request-values.ts';
import type { OpenRoute } from '../route.ts';

/** Shown in a terminal or a browser, so it is text that names the commands. */
const notBuilt =
  'The console is not built here. "npm start" builds it, and so does: npm run build -w atelier-console\n';
/** `X-Error-Code` of a clone whose console was not built. */
const notBuiltCode: keyof typeof otherCodes = 'console_not_built';
/** Written into the page by the build, and replaced whenever it is sent. */
const basePlaceholder = '<base href="./" />';
/** Of the page as it is built; each answer has a nonce of its own in its place. */
const noncePlaceholder = 'content="csp-nonce"';
/** Named after the hash of their content, so they never change. */
const isHashed = (path: string): boolean => path.startsWith('assets/');

/** The console: its files, and its one page at every address that the page itself knows what to do with. */
export const getConsole: OpenRoute = {
  method: 'GET',
  path: '/console/*',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: ['path_unknown'],
  answers: {
    200: { description: 'A page or a file of the console.', body: null },
    206: { description: 'A range of a video or a sound.', body: null },
    404: { description: 'The console is not built.', body: null },
  },
  docs: { undocumented: 'pages for people' },
  open: context => async (request, reply) => {
    const built = await context.console();
    if (!built) return answerNotBuilt(reply);
    const path = pathValue(request, '*');
    const file = built.get(path);
    if (file && path !== 'index.html') return answerFile(request, reply, path, file);
    if (isHashed(path)) throw refuse('path_unknown');
    return answerPage(reply, built, depthOf(request));
  },
};

/** Without the slash at its end, addresses that are relative to the page would miss it. */
export const getConsoleRoot: OpenRoute = {
  method: 'GET',
  path: '/console',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'The console.', body: null },
    302: { description: 'On to the path with a slash.', body: null },
    404: { description: 'The console is not built.', body: null },
  },
  docs: { undocumented: 'pages for people' },
  open: context => async (request, reply) => {
    const built = await context.console();
    if (!built) return answerNotBuilt(reply);
    // Relative: whatever stands before it at a proxy stays.
    return pathOf(request).endsWith('/') ? answerPage(reply, built, 0) : reply.redirect('console/', 302);
  },
};

/** How many folders below the console an address stands. */
const depthOf = (request: FastifyRequest): number =>
  pathOf(request).split('/').length - '/console/'.split('/').length;

/** Without the query. */
const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0]!;

/** 404 in plain text: what to run. */
function answerNotBuilt(reply: FastifyReply) {
  setPageHeaders(reply).code(404).header('x-error-code', notBuiltCode);
  return reply.header('content-type', 'text/plain; charset=utf-8').send(notBuilt);
}

/** A file; one with a hashed name may be cached for ever. */
function answerFile(request: FastifyRequest, reply: FastifyReply, path: string, file: ConsoleFile) {
  const isSmall = file.gzipped !== null && acceptsGzip(request.raw.headers['accept-encoding']);
  if (isSmall) reply.header('content-encoding', 'gzip');
  setPageHeaders(reply)
    .header('content-type', file.contentType)
    .header('vary', 'accept-encoding')
    .header('cache-control', isHashed(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (isSmall) return reply.send(file.gzipped);
  return isPlayed(file) ? answerRange(request, reply, file.bytes) : reply.send(file.bytes);
}

/** Videos and sounds. */
const isPlayed = ({ contentType }: ConsoleFile): boolean => /^(?:video|audio)\//.test(contentType);

/** Safari plays no video of a server that sends no ranges. A range outside is answered with the whole, which is small. */
function answerRange(request: FastifyRequest, reply: FastifyReply, bytes: Buffer) {
  reply.header('accept-ranges', 'bytes');
  const range = readByteRange(request.headers.range, bytes.length);
  if (range === null || range === 'outside') return reply.send(bytes);
  return reply
    .code(206)
    .header('content-range', `bytes ${range.start}-${range.end}/${bytes.length}`)
    .send(bytes.subarray(range.start, range.end + 1));
}

/**
 * The page asks for everything relative to its base, so it works behind any prefix of a proxy. Styles that a
 * widget writes carry the nonce; no script does.
 */
function answerPage(reply: FastifyReply, built: BuiltConsole, depth: number) {
  const { bytes, contentType } = built.get('index.html')!;
  const nonce = randomBytes(16).toString('base64');
  const page = bytes
    .toString()
    .replace(basePlaceholder, `<base href="${depth === 0 ? './' : '../'.repeat(depth)}" />`)
    .replace(noncePlaceholder, `content="${nonce}"`);
  return setPageHeaders(reply)
    .header('content-type', contentType)
    .header('content-security-policy', policyWith(nonce))
    .header('x-frame-options', 'DENY')
    .send(page);
}

/** Nothing from other hosts, no script but our files, in no frame. */
const policyWith = (nonce: string): string =>
  [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
