/** Colours and their arithmetic in OKLab, where mixes look even to the eye. */

/** Red, green and blue, each 0 to 1. */
export type Colour = readonly [number, number, number];

/** Parses `#rrggbb`. */
export function hex(text: string): Colour {
  const value = Number.parseInt(text.slice(1), 16);
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

/** A CSS colour for the canvas; alpha 0 to 1. */
export function css([red, green, blue]: Colour, alpha = 1): string {
  const byte = (part: number) => Math.round(Math.min(1, Math.max(0, part)) * 255);
  return `rgba(${byte(red)},${byte(green)},${byte(blue)},${Math.round(alpha * 1000) / 1000})`;
}

/** A mix of two colours; `share` 0 is the first, 1 the second. OKLab has no grey or muddy middle. */
export function mix(from: Colour, to: Colour, share: number): Colour {
  const a = toLab(from);
  const b = toLab(to);
  return fromLab([a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share]);
}

/** Moves hue and saturation towards another colour, and lightness only a little. */
export function tint(colour: Colour, towards: Colour, share: number): Colour {
  const a = toLab(colour);
  const b = toLab(towards);
  return fromLab([
    a[0] + (b[0] - a[0]) * share * 0.25,
    a[1] + (b[1] - a[1]) * share,
    a[2] + (b[2] - a[2]) * share,
  ]);
}

/** Lighter (up to 1) or darker (down to -1) with the same hue. */
export function shade(colour: Colour, by: number): Colour {
  const [light, a, b] = toLab(colour);
  const target = by > 0 ? light + (1 - light) * by : light * (1 + by);
  return fromLab([target, a * (1 - Math.abs(by) * 0.3), b * (1 - Math.abs(by) * 0.3)]);
}

/** More (above 1) or less (below 1) saturated. */
export function saturate(colour: Colour, by: number): Colour {
  const [light, a, b] = toLab(colour);
  return fromLab([light, a * by, b * by]);
}

/** sRGB to OKLab, by Björn Ottosson's matrices. */
function toLab([red, green, blue]: Colour): Colour {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** OKLab to sRGB; colours outside of it are clamped. */
function fromLab([light, a, b]: Colour): Colour {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** sRGB transfer function and its inverse. */
const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

/** Linear light to sRGB. */
function gamma(part: number): number {
  const clamped = Math.min(1, Math.max(0, part));
  return clamped <= 0.0031308 ? clamped * 12.92 : 1.055 * clamped ** (1 / 2.4) - 0.055;
}
