/** Raw sound as Gemini answers it: 16 bits a sample, the low byte first, whatever RFC 2586 says of its type. */

/** Samples without a header: 16 bits, little endian, channels interleaved. */
export interface RawSound {
  readonly sampleRate: number;
  readonly channels: number;
  readonly samples: Buffer;
}

const headerBytes = 44;
const bytesPerSample = 2;

/** The same as a WAV file. */
export function wavOf({ sampleRate, channels, samples }: RawSound): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write('RIFF', 0);
  header.writeUInt32LE(headerBytes - 8 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * bytesPerSample, 28);
  header.writeUInt16LE(channels * bytesPerSample, 32);
  header.writeUInt16LE(8 * bytesPerSample, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** Hz, where the type names no rate. */
const defaultRate = 24_000;

/** What a type like `audio/L16;codec=pcm;rate=24000` says; null for anything but raw sound. */
export function readRawType(mimeType: string): Omit<RawSound, 'samples'> | null {
  if (!/^audio\/(?:l16|pcm)\b/i.test(mimeType)) return null;
  const numberOf = (name: string, otherwise: number) =>
    Number(new RegExp(`[;\\s]${name}=(\\d{1,6})`, 'i').exec(mimeType)?.[1] ?? otherwise);
  return { sampleRate: numberOf('rate', defaultRate), channels: numberOf('channels', 1) };
}
