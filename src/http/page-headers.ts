/** Security headers of pages. */

import type { FastifyReply } from 'fastify';

/** Headers of pages and their files: other sites neither keep a reference to their window nor learn their URLs. */
export const setPageHeaders = (reply: FastifyReply): FastifyReply =>
  reply.header('cross-origin-opener-policy', 'same-origin').header('referrer-policy', 'same-origin');
