/** Every route of /openai/v1. */

import type { Route } from '../../route.ts';
import { createVideo } from './create-video.ts';
import { editImages, generateImages } from './images.ts';
import { getModel, listModels } from './models.ts';
import { createSpeech } from './speech.ts';
import { deleteVideo, getVideo, getVideoContent, listVideos } from './videos.ts';

/** In the order of docs/mounts.md. */
export const openaiRoutes: readonly Route[] = [
  createVideo,
  getVideo,
  listVideos,
  deleteVideo,
  getVideoContent,
  generateImages,
  editImages,
  createSpeech,
  listModels,
  getModel,
];
