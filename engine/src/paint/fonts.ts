/** The font of all text in pictures. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GlobalFonts } from '@napi-rs/canvas';

/** One family with Latin and Chinese, so that text looks the same whatever fonts are installed. */
const family = 'Atelier Sans';

/** The canvas font of this size in pixels; registers the family on the first call. */
export function fontOf(pixels: number): string {
  if (!GlobalFonts.has(family)) registerFont();
  return `${Math.round(pixels)}px "${family}"`;
}

/** Reads every file of the package with the regular weight. */
function registerFont(): void {
  const root = dirname(createRequire(import.meta.url).resolve('@fontsource/noto-sans-sc/package.json'));
  const files = readdirSync(join(root, 'files')).filter(name => name.endsWith('-400-normal.woff2'));
  // The characters are split into about a hundred files; under one family name they complete each other.
  for (const name of files.sort()) GlobalFonts.registerFromPath(join(root, 'files', name), family);
}
