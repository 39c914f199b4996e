import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GlobalFonts } from '@napi-rs/canvas';

/** The one family everything is written in: Latin and Chinese, whatever fonts are installed. */
const family = 'Atelier Sans';

/** Registers the font on the first call and gives a canvas font of this many pixels. */
export function fontOf(pixels: number): string {
  if (!GlobalFonts.has(family)) registerFont();
  return `${Math.round(pixels)}px "${family}"`;
}

function registerFont(): void {
  const root = dirname(createRequire(import.meta.url).resolve('@fontsource/noto-sans-sc/package.json'));
  const files = readdirSync(join(root, 'files')).filter(name => name.endsWith('-400-normal.woff2'));
  // The character sets are cut into about a hundred files; under one name they fill in for each other.
  for (const name of files.sort()) GlobalFonts.registerFromPath(join(root, 'files', name), family);
}
