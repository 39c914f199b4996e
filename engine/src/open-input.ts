/** Opens a local media file with FFmpeg, limited to known containers. */
import { Decoder, Demuxer, Log } from 'node-av';
import * as av from 'node-av/constants';

/** An open file with the decoder of its first picture or sound stream. */
export interface MediaInput {
  /** Reads packets of every stream. */
  readonly demuxer: Demuxer;
  readonly decoder: Decoder;
  /** The first stream of the medium. */
  readonly stream: NonNullable<ReturnType<Demuxer['video']>>;
  /** Frees decoder and file. */
  close(): Promise<void>;
}

/** Containers only: with a playlist, FFmpeg would open every address that the list names. */
const formats = {
  video: 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg',
  audio: 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mp3,wav,w64,flac,ogg,aac,aiff,caf,amr',
  picture: 'mov,mp4,m4a,3gp,3g2,mj2,bmp_pipe,tiff_pipe,png_pipe,jpeg_pipe,webp_pipe,gif,gif_pipe',
} as const;

/** `path` is a local file, never an address. Throws where the file has no stream of that medium. */
export async function openInput(path: string, medium: keyof typeof formats): Promise<MediaInput> {
  Log.setLevel(av.AV_LOG_FATAL);
  const demuxer = await Demuxer.open(path, {
    options: { protocol_whitelist: 'file', format_whitelist: formats[medium] },
  });
  try {
    // Cover pictures count as video streams; a sound file is opened as audio.
    const stream = medium === 'audio' ? demuxer.audio() : demuxer.video();
    if (stream === undefined) throw new Error(`expected ${medium} in the file, got none`);
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
