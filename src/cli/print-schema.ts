/** `atelier config schema`: prints the JSON Schema of `atelier.yaml`. */
import { configSchema } from '../config/json-schema.ts';
import { print } from './print.ts';

/** Editors complete and check the file with it. */
export function printSchemaCommand(): void {
  print(JSON.stringify(configSchema(), null, 2));
}
