import { configSchema } from '../config/json-schema.ts';
import { print } from './print.ts';

export function printSchemaCommand(): void {
  print(JSON.stringify(configSchema(), null, 2));
}
