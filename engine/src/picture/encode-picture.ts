/** Encodes a canvas as PNG or JPEG with a comment about its origin. */
import type { Canvas } from '@napi-rs/canvas';
import { originComment } from '../origin-comment.ts';
import { encodePng } from './encode-png.ts';

/** 0 to 100, as libjpeg takes it. */
const jpegQuality = 90;

/** Encodes on another thread, so that progress messages can be sent meanwhile. */
export async function encodePicture(canvas: Canvas, format: 'png' | 'jpeg'): Promise<Buffer> {
  return format === 'png'
    ? encodePng(canvas, originComment)
    : addJpegComment(await canvas.encode('jpeg', jpegQuality), originComment);
}

/** Inserts a comment segment after the JFIF header, which must come first where there is one. */
function addJpegComment(jpeg: Buffer, note: string): Buffer {
  const content = Buffer.from(note, 'latin1');
  const segment = Buffer.alloc(content.length + 4);
  segment.writeUInt16BE(0xfffe);
  segment.writeUInt16BE(content.length + 2, 2);
  content.copy(segment, 4);
  const hasJfif = jpeg.readUInt16BE(2) === 0xffe0;
  const headerEnd = hasJfif ? 4 + jpeg.readUInt16BE(4) : 2;
  return Buffer.concat([jpeg.subarray(0, headerEnd), segment, jpeg.subarray(headerEnd)]);
}
