/** Reads the frames of an MP3 file. */

const kilobits = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
/** By the two bits of the version: 2.5, none, 2, 1. */
const rates = [[11_025, 12_000, 8000], [], [22_050, 24_000, 16_000], [44_100, 48_000, 32_000]];

export interface Mp3 {
  readonly frames: number;
  /** Bits per second, each that a frame has. */
  readonly bitrates: readonly number[];
  /** Frames that need bytes of an earlier one. */
  readonly borrowed: number;
}

/** Walks through every frame to the end of the file; tags before them and frames of metadata are left out. */
export function mp3Of(bytes: Buffer): Mp3 {
  const isTagged = bytes.toString('latin1', 0, 3) === 'ID3';
  let at = isTagged ? bytes.subarray(6, 10).reduce((sum, byte) => sum * 128 + byte, 0) + 10 : 0;
  const bitrates = new Set<number>();
  let [frames, borrowed] = [0, 0];
  for (let first = true; at < bytes.length; first = false) {
    if (bytes.readUInt16BE(at) >> 5 !== 0x7ff) throw new Error(`expected a frame at byte ${at}`);
    const version = (bytes[at + 1]! >> 3) & 3;
    const isFirstVersion = version === 3;
    const bitrate = kilobits[isFirstVersion ? 'mpeg1' : 'mpeg2'][bytes[at + 2]! >> 4]! * 1000;
    const rate = rates[version]![(bytes[at + 2]! >> 2) & 3]!;
    const frameBytes =
      Math.floor(((isFirstVersion ? 144 : 72) * bitrate) / rate) + ((bytes[at + 2]! >> 1) & 1);
    const frame = bytes.subarray(at, at + frameBytes);
    at += frameBytes;
    if (first && /Xing|Info/.test(frame.toString('latin1'))) continue;
    frames += 1;
    bitrates.add(bitrate);
    // The main data begins nine or eight bits before the end of the last frame's.
    if (frame[4]! > 0 || (isFirstVersion && frame[5]! >> 7 > 0)) borrowed += 1;
  }
  return { frames, bitrates: [...bitrates], borrowed };
}
