/** The list of providers. */

import { ark, modelark } from './ark/index.ts';
import cog from './cog/index.ts';
import comfyui from './comfyui/index.ts';
import dashscope from './dashscope/index.ts';
import declarative from './declarative/index.ts';
import fal from './fal/index.ts';
import gemini from './gemini/index.ts';
import type { ProviderDefinition } from './kit/definition.ts';
import kling from './kling/index.ts';
import lightx2v from './lightx2v/index.ts';
import minimax from './minimax/index.ts';
import openaiCompatible from './openai-compatible/index.ts';
import pixverse from './pixverse/index.ts';
import relay from './relay/index.ts';
import replicate from './replicate/index.ts';
import vidu from './vidu/index.ts';
import youchuan from './youchuan/index.ts';

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

/** The provider with that name; undefined for an unknown one. */
export const definitionOf = (provider: unknown): ProviderDefinition | undefined =>
  providers.find(({ name }) => name === provider);
