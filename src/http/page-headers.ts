import type { FastifyReply } from 'fastify';

/** For the pages of a browser and their files: other sites neither hold their window nor learn their addresses. */
export const setPageHeaders = (reply: FastifyReply): FastifyReply =>
  reply.header('cross-origin-opener-policy', 'same-origin').header('referrer-policy', 'same-origin');
