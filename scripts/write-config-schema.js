// Writes docs/atelier.schema.json, the JSON Schema of atelier.yaml, from the settings. For the Node that Atelier runs by.
import { writeFileSync } from 'node:fs';
import { configSchema } from '../src/config/json-schema.ts';

const path = new URL('../docs/atelier.schema.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(configSchema(), null, 2)}\n`);
