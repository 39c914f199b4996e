import type { Model } from './model.ts';
import deltaSpeech02Hd from './models/delta-speech-02-hd.ts';
import eta26T2v from './models/eta2.6-t2v.ts';
import gammaV3Image from './models/gamma-v3-image.ts';
import gammaV3TurboT2v from './models/gamma-v3-turbo-t2v.ts';
import thetaTts from './models/theta-3.1-flash-tts-preview.ts';

/** Every model, in the order of Contract 2, section 4. */
export const models: readonly Model[] = [gammaV3Image, gammaV3TurboT2v, eta26T2v, deltaSpeech02Hd, thetaTts];

const byId: ReadonlyMap<string, Model> = new Map(models.map(model => [model.id, model]));

export const findModel = (id: string): Model | null => byId.get(id) ?? null;
