import { ark, modelark } from './ark.ts';
import cog from './cog.ts';
import comfyui from './comfyui.ts';
import dashscope from './dashscope.ts';
import declarative from './declarative.ts';
import type { ProviderDefinition } from './definition.ts';
import fal from './fal.ts';
import gemini from './gemini.ts';
import kling from './kling.ts';
import lightx2v from './lightx2v.ts';
import minimax from './minimax.ts';
import openaiCompatible from './openai-compatible.ts';
import pixverse from './pixverse.ts';
import relay from './relay.ts';
import replicate from './replicate.ts';
import vidu from './vidu.ts';
import youchuan from './youchuan.ts';

/** Every provider that an account may be of. */
export const providers: readonly ProviderDefinition[] = [
  relay,
  fal,
  replicate,
  kling,
  minimax,
  ark,
  modelark,
  gemini,
  vidu,
  dashscope,
  pixverse,
  youchuan,
  openaiCompatible,
  comfyui,
  cog,
  lightx2v,
  declarative,
];
