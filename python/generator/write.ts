// node python/generator/write.ts: writes the generated files of python/src/atelier_client from the OpenAPI document.
import { writeFile } from 'node:fs/promises';
import { generatedSources } from './sources.ts';

const folder = new URL('../src/atelier_client/', import.meta.url);
for (const [name, text] of generatedSources()) await writeFile(new URL(name, folder), text);
