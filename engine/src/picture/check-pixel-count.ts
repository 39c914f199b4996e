/** Largest picture that is decoded: about 480 MB as RGBA. */
const maxPixels = 120_000_000;

/** Throws where a picture would not fit into memory. */
export function checkPixelCount(width: number, height: number): void {
  if (width * height > maxPixels)
    throw new Error(`expected at most ${maxPixels} pixels, got ${width * height}`);
}
