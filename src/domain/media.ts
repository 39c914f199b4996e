/** What is known of the bytes of a file: their facts, or that they cannot be read as a medium. */
export type KnownFacts = MediaFacts | 'unreadable';

/** What a probe found in a file: the truth about a medium, whatever its name or sender says. */
export interface MediaFacts {
  /** As the bytes show it; `application/octet-stream` when nothing is recognised. */
  readonly mimeType: string;
  readonly bytes: number;
  /** Pixels as displayed (rotation applied). Present for pictures. */
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

/** A second look at a video file that the prober cannot read; null where there is nothing that could look. */
export type ProbeVideo = (path: string) => Promise<NonNullable<MediaFacts['video']> | 'unreadable' | null>;
