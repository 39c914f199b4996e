/** The H.264 stream of a film: RGBA frames are converted to BT.709 and encoded. */
import { Encoder, FilterAPI, Frame, type Muxer, Rational } from 'node-av';
import * as av from 'node-av/constants';
import { isReceived, setCodecOption } from '../av.ts';

/** Size and rate of a film. */
export interface FrameSettings {
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
}

/** The frames of a film while it is written. */
export interface FrameEncoder {
  /** RGBA bytes of the frame of that index. */
  write(rgba: Buffer, index: number): void;
  /** Encodes what the filter and the encoder still have. */
  flush(): void;
  /** Frees both; only after the muxer is closed. */
  close(): void;
}

/** Above this many pixels speed counts more than size. */
const aboveFullHd = 1920 * 1088;
/** Distance of key frames: players can seek to them. */
const keyFrameSeconds = 2;
/**
 * Conversion to 4:2:0 with the colour space of HD video, marked as such in the stream. Each chroma sample is the mean
 * of its pixels (`area`), which takes two thirds of the time of the default.
 */
const toBt709 =
  'scale=out_color_matrix=bt709:out_range=tv:flags=area,format=yuv420p,setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709';

/** Adds the stream to the muxer; streams are numbered in the order they are added. */
export async function openFrameEncoder(muxer: Muxer, settings: FrameSettings): Promise<FrameEncoder> {
  const { width, height } = settings;
  const rate = toRational(settings.fps);
  const timeBase = new Rational(rate.den, rate.num);
  const filter = FilterAPI.create(toBt709, { framerate: rate });
  const encoder = await createEncoder(settings, rate);
  const stream = muxer.addStream(encoder);

  function drainEncoder(): void {
    for (let packet = encoder.receiveSync(); isReceived(packet); packet = encoder.receiveSync()) {
      muxer.writePacketSync(packet, stream);
      packet.free();
    }
  }

  function drainFilter(): void {
    for (let frame = filter.receiveSync(); isReceived(frame); frame = filter.receiveSync()) {
      encoder.encodeSync(frame);
      frame.free();
      drainEncoder();
    }
  }

  return {
    write(rgba, index) {
      const frame = Frame.fromVideoBuffer(rgba, {
        width,
        height,
        format: av.AV_PIX_FMT_RGBA,
        timeBase,
        pts: BigInt(index),
      });
      filter.processSync(frame);
      frame.free();
      drainFilter();
    },
    flush() {
      filter.flushSync();
      drainFilter();
      encoder.flushSync();
      drainEncoder();
    },
    close() {
      filter.close();
      encoder.close();
    },
  };
}

/** Two threads give the same bytes in every run; more might not. */
const createEncoder = ({ width, height, fps }: FrameSettings, rate: Fraction): Promise<Encoder> =>
  Encoder.create(av.FF_ENCODER_LIBX264, {
    configure: context => {
      setCodecOption(context, 'preset', width * height > aboveFullHd ? 'ultrafast' : 'veryfast');
      setCodecOption(context, 'crf', '21');
      // A fixed pattern of B-frames: choosing them frame by frame takes a twentieth of a film and saves no byte of it.
      setCodecOption(context, 'b_strategy', '0');
      // Macroblock-tree makes the same pictures into other bytes in one run of twenty.
      setCodecOption(context, 'mbtree', '0');
    },
    context: {
      threadCount: 2,
      timeBase: new Rational(rate.den, rate.num),
      framerate: new Rational(rate.num, rate.den),
      gopSize: Math.round(fps * keyFrameSeconds),
      colorRange: av.AVCOL_RANGE_MPEG,
      colorSpace: av.AVCOL_SPC_BT709,
      colorPrimaries: av.AVCOL_PRI_BT709,
      colorTrc: av.AVCOL_TRC_BT709,
    },
  });

/** A frame rate as numerator and denominator. */
interface Fraction {
  readonly num: number;
  readonly den: number;
}

/** 23.976 and its like are exact fractions over 1001; other rates are taken to a thousandth. */
function toRational(fps: number): Fraction {
  if (Number.isInteger(fps)) return { num: fps, den: 1 };
  const whole = Math.round(fps);
  return Math.abs((whole * 1000) / 1001 - fps) < 0.01
    ? { num: whole * 1000, den: 1001 }
    : { num: Math.round(fps * 1000), den: 1000 };
}
