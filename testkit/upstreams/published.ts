/** The schemas that vendors publish, as their fakes answer them: testkit/schemas/README.md has the sources. */
import { existsSync, readFileSync } from 'node:fs';
import { jsonAnswer, type Truth } from '../upstream/answer.ts';

/** Where the schemas are. */
export const schemasFolder = new URL('../schemas/', import.meta.url);

/** The answer with a schema; 404 for a model that has none there. */
export function publishedSchema(name: string): Truth {
  const file = new URL(`${name.replace(/[^\w.-]/g, '')}.json`, schemasFolder);
  return existsSync(file)
    ? jsonAnswer(200, JSON.parse(readFileSync(file, 'utf8')))
    : jsonAnswer(404, { detail: 'Not Found' });
}
