// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ImageResult, SpeechResult, VideoResult } from '../bodies.ts';
import type { Alpha20MiniInput } from './alpha-2-0-mini.ts';
import type { Alpha15ProInput } from './alpha-1-5-pro.ts';
import type { BetaEditInput } from './beta-edit.ts';
import type { BetaOutpaintInput } from './beta-outpaint.ts';
import type { BetaUpscaleInput } from './beta-upscale.ts';
import type { GammaV26MotionControlInput } from './gamma-v2-6-motion-control.ts';
import type { GammaV2MultiImage2imageInput } from './gamma-v2-multi-image2image.ts';
import type { GammaV2ImageInput } from './gamma-v2-image.ts';
import type { GammaV3ImageInput } from './gamma-v3-image.ts';
import type { GammaV3TurboT2vInput } from './gamma-v3-turbo-t2v.ts';
import type { GammaV3OmniVideoInput } from './gamma-v3-omni-video.ts';
import type { EpsilonQ2TurboExtendInput } from './epsilon-q2-turbo-extend.ts';
import type { EpsilonQ2TurboImg2videoInput } from './epsilon-q2-turbo-img2video.ts';
import type { EpsilonQ3TurboStartEnd2videoInput } from './epsilon-q3-turbo-start-end2video.ts';
import type { ZetaV6I2vInput } from './zeta-v6-i2v.ts';
import type { Eta26T2vInput } from './eta2.6-t2v.ts';
import type { DeltaSpeech01TurboInput } from './delta-speech-01-turbo.ts';
import type { DeltaSpeech02HdInput } from './delta-speech-02-hd.ts';
import type { Theta31FlashTtsPreviewInput } from './theta-3.1-flash-tts-preview.ts';

/** What each model takes and gives. */
export interface ModelMap {
  readonly 'alpha-2-0-mini': { readonly input: Alpha20MiniInput; readonly output: VideoResult };
  readonly 'alpha-1-5-pro': { readonly input: Alpha15ProInput; readonly output: VideoResult };
  readonly 'beta-edit': { readonly input: BetaEditInput; readonly output: ImageResult };
  readonly 'beta-outpaint': { readonly input: BetaOutpaintInput; readonly output: ImageResult };
  readonly 'beta-upscale': { readonly input: BetaUpscaleInput; readonly output: ImageResult };
  readonly 'gamma-v2-6-motion-control': { readonly input: GammaV26MotionControlInput; readonly output: VideoResult };
  readonly 'gamma-v2-multi-image2image': { readonly input: GammaV2MultiImage2imageInput; readonly output: ImageResult };
  readonly 'gamma-v2-image': { readonly input: GammaV2ImageInput; readonly output: ImageResult };
  readonly 'gamma-v3-image': { readonly input: GammaV3ImageInput; readonly output: ImageResult };
  readonly 'gamma-v3-turbo-t2v': { readonly input: GammaV3TurboT2vInput; readonly output: VideoResult };
  readonly 'gamma-v3-omni-video': { readonly input: GammaV3OmniVideoInput; readonly output: VideoResult };
  readonly 'epsilon-q2-turbo-extend': { readonly input: EpsilonQ2TurboExtendInput; readonly output: VideoResult };
  readonly 'epsilon-q2-turbo-img2video': { readonly input: EpsilonQ2TurboImg2videoInput; readonly output: VideoResult };
  readonly 'epsilon-q3-turbo-start-end2video': { readonly input: EpsilonQ3TurboStartEnd2videoInput; readonly output: VideoResult };
  readonly 'zeta-v6-i2v': { readonly input: ZetaV6I2vInput; readonly output: VideoResult };
  readonly 'eta2.6-t2v': { readonly input: Eta26T2vInput; readonly output: VideoResult };
  readonly 'delta-speech-01-turbo': { readonly input: DeltaSpeech01TurboInput; readonly output: SpeechResult };
  readonly 'delta-speech-02-hd': { readonly input: DeltaSpeech02HdInput; readonly output: SpeechResult };
  readonly 'theta-3.1-flash-tts-preview': { readonly input: Theta31FlashTtsPreviewInput; readonly output: SpeechResult };
}
