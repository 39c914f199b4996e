import { Decoder, Demuxer, Log } from 'node-av';
import * as av from 'node-av/constants';

export interface MediaInput {
  readonly demuxer: Demuxer;
  readonly decoder: Decoder;
  readonly stream: NonNullable<ReturnType<Demuxer['video']>>;
  close(): Promise<void>;
}

/** Containers only: a playlist would make the library open whatever stands in it. */
const formats = {
  video: 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg',
  audio: 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mp3,wav,w64,flac,ogg,aac,aiff,caf,amr',
  picture: 'mov,mp4,m4a,3gp,3g2,mj2,bmp_pipe,tiff_pipe,png_pipe,jpeg_pipe,webp_pipe,gif,gif_pipe',
} as const;

/** A local file, never an address, with the decoder of its first picture or sound stream. */
export async function openInput(path: string, holds: keyof typeof formats): Promise<MediaInput> {
  Log.setLevel(av.AV_LOG_FATAL);
  const demuxer = await Demuxer.open(path, {
    options: { protocol_whitelist: 'file', format_whitelist: formats[holds] },
  });
  try {
    const stream = holds === 'audio' ? demuxer.audio() : demuxer.video();
    if (stream === undefined) throw new Error(`expected ${holds} in the file, got none`);
    const decoder = await Decoder.create(stream);
    return {
      demuxer,
      decoder,
      stream,
      async close() {
        decoder.close();
        await demuxer.close();
      },
    };
  } catch (error) {
    await demuxer.close();
    throw error;
  }
}
