// node client/generator/write.ts: deletes client/src/generated and writes it from the catalog.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { generatedSources } from './sources.ts';

const folder = new URL('../src/generated/', import.meta.url);
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
for (const [name, text] of generatedSources()) await writeFile(new URL(name, folder), text);
