// For the Node that Atelier runs by.
import { writeFileSync } from 'node:fs';
import { errorsPage } from '../src/http/errors-page.ts';

writeFileSync(new URL('../docs/errors.md', import.meta.url), errorsPage());
