/** The Python client: a wheel, and the index that pip reads. */

import { refuse } from '../../domain/refusal.ts';
import { packageAnswers, sendPackage } from '../packages/send-package.ts';
import type { ServedPackage } from '../packages/served-package.ts';
import { setPageHeaders } from '../page-headers.ts';
import { pathValue } from '../request-values.ts';
import type { OpenRoute } from '../route.ts';

/** The wheel by its name, and a simple index (PEP 503) of that one package below `/python/`; needs no key. */
export const getPythonPackage: OpenRoute = {
  method: 'GET',
  path: '/python/*',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: ['path_unknown'],
  answers: packageAnswers,
  docs: { undocumented: 'a package for pip' },
  open: context => async (request, reply) => {
    const path = pathValue(request, '*').replace(/\/$/, '');
    const wheel = await context.packages.pythonWheel();
    const page = wheel && (indexes(wheel)[path] ?? null);
    if (page !== null)
      return setPageHeaders(reply).header('content-type', 'text/html; charset=utf-8').send(page);
    if (wheel && path !== wheel.fileName) throw refuse('path_unknown');
    return sendPackage(request, reply, wheel);
  },
};

/** The two pages of the index by their path. pip ends every address with a slash, so links are relative to a folder. */
const indexes = ({ fileName, sha256 }: ServedPackage): Readonly<Record<string, string>> => ({
  '': pageOf('atelier-client/', 'atelier-client'),
  'atelier-client': pageOf(`../${fileName}#sha256=${sha256}`, fileName),
});

const pageOf = (address: string, name: string): string =>
  `<!doctype html>\n<html><body><a href="${address}">${name}</a></body></html>\n`;
