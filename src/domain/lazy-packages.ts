/** Packages that take long to load and that many processes never need: each is loaded at its first use. */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** Outbound HTTP. A gateway without accounts needs it for the first callback or the first medium by URL. */
export const loadUndici = (): typeof import('undici') => load('undici');

/** Only where there is an `atelier.yaml`, or a workflow that is written in YAML. */
export const loadYaml = (): typeof import('yaml') => load('yaml');
