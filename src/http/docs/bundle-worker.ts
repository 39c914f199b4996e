/** Worker thread that extracts the script of the API pages from its package. */

import { promisify } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

/** The package contains its script as text; its route is the only public way to it. */
const app = Fastify();
await app.register(scalar, { routePrefix: '/docs', configuration: { url: 'openapi.json' } });
const { statusCode, rawPayload } = await app.inject('/docs/js/scalar.js');
await app.close();
if (statusCode !== 200) throw new Error(`expected the script of the pages, got status ${statusCode}`);
parentPort?.postMessage({ plain: rawPayload, gzipped: await promisify(gzip)(rawPayload) });
