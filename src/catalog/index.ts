/** The list of the models of the contract. */

import { openCatalog } from './catalog.ts';
import type { Model } from './model.ts';
import alpha15Pro from './models/alpha/alpha-1-5-pro.ts';
import alpha20Mini from './models/alpha/alpha-2-0-mini.ts';
import betaEdit from './models/beta/beta-edit.ts';
import betaOutpaint from './models/beta/beta-outpaint.ts';
import betaUpscale from './models/beta/beta-upscale.ts';
import deltaSpeech01Turbo from './models/delta/delta-speech-01-turbo.ts';
import deltaSpeech02Hd from './models/delta/delta-speech-02-hd.ts';
import epsilonQ2TurboExtend from './models/epsilon/epsilon-q2-turbo-extend.ts';
import epsilonQ2TurboImg2video from './models/epsilon/epsilon-q2-turbo-img2video.ts';
import epsilonQ3TurboStartEnd2video from './models/epsilon/epsilon-q3-turbo-start-end2video.ts';
import eta26T2v from './models/eta/eta2.6-t2v.ts';
import gammaV26MotionControl from './models/gamma/gamma-v2-6-motion-control.ts';
import gammaV2Image from './models/gamma/gamma-v2-image.ts';
import gammaV2MultiImage2image from './models/gamma/gamma-v2-multi-image2image.ts';
import gammaV3Image from './models/gamma/gamma-v3-image.ts';
import gammaV3OmniVideo from './models/gamma/gamma-v3-omni-video.ts';
import gammaV3TurboT2v from './models/gamma/gamma-v3-turbo-t2v.ts';
import thetaTts from './models/theta/theta-3.1-flash-tts-preview.ts';
import zetaV6I2v from './models/zeta/zeta-v6-i2v.ts';

/** Every model of the contract, in the order of Contract 2, section 4. */
export const models: readonly Model[] = [
  alpha20Mini,
  alpha15Pro,
  betaEdit,
  betaOutpaint,
  betaUpscale,
  gammaV26MotionControl,
  gammaV2MultiImage2image,
  gammaV2Image,
  gammaV3Image,
  gammaV3TurboT2v,
  gammaV3OmniVideo,
  epsilonQ2TurboExtend,
  epsilonQ2TurboImg2video,
  epsilonQ3TurboStartEnd2video,
  zetaV6I2v,
  eta26T2v,
  deltaSpeech01Turbo,
  deltaSpeech02Hd,
  thetaTts,
];

/** What there is where an operator adds nothing. */
export const contractCatalog = openCatalog(models);

/** The model of the contract with that id; null where there is none. */
export const findModel = contractCatalog.find;
