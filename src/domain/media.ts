/** Facts of media files, as found by probing their bytes. */

/** The facts of a file, or that it cannot be read as a medium. */
export type KnownFacts = MediaFacts | 'unreadable';

/** What a probe found in the bytes, whatever the file's name or declared type. */
export interface MediaFacts {
  /** By the bytes; `application/octet-stream` when nothing is recognised. */
  readonly mimeType: string;
  readonly bytes: number;
  /** Pixels as displayed (rotation applied). Present for images. */
  readonly image?: { readonly width: number; readonly height: number };
  /** Pixels as displayed, seconds, frames per second. Present where there is a video track. */
  readonly video?: {
    readonly width: number;
    readonly height: number;
    readonly seconds: number;
    readonly fps: number;
    readonly codec: string;
  };
  /** Present where there is an audio track, also beside a video. */
  readonly audio?: {
    readonly seconds: number;
    readonly sampleRate: number;
    readonly channels: number;
    readonly codec: string;
  };
}

/** A second probe of a video that the prober cannot read, by ffmpeg for one; null where none is available. */
export type ProbeVideo = (path: string) => Promise<NonNullable<MediaFacts['video']> | 'unreadable' | null>;

export interface ProberSize {
  readonly running: number;
  readonly waiting: number;
  /** Probes started since the process started. */
  readonly begun: number;
}
