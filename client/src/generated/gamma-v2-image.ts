// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type GammaFields, gammaProperties } from './gamma.ts';

/** Pictures. Draws one to nine pictures from words or from a reference image. */
export interface GammaV2ImageInput extends GammaFields {
  /**
   * Prompt. What the picture shows.
   * 1 to 2500 characters.
   */
  readonly prompt: string;
}

export const gammaV2Image: ModelDescription = {
  "id": "gamma-v2-image",
  "object": "model",
  "owned_by": "atelier",
  "kind": "image",
  "family": "gamma",
  "title": "Pictures",
  "summary": "Draws one to nine pictures from words or from a reference image.",
  "accepts_callback": true,
  "limits": {
    "max_body_bytes": 67108864
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "prompt": {
        "type": "string",
        "title": "Prompt",
        "description": "What the picture shows.",
        "widget": "textarea",
        "minLength": 1,
        "maxLength": 2500
      },
      "negative_prompt": gammaProperties.negative_prompt,
      "image": gammaProperties.image,
      "n": gammaProperties.n,
      "resolution": gammaProperties.resolution,
      "aspect_ratio": gammaProperties.aspect_ratio,
      "watermark_info": gammaProperties.watermark_info,
      "callback_url": gammaProperties.callback_url,
      "external_task_id": gammaProperties.external_task_id
    },
    "required": [
      "prompt"
    ],
    "additionalProperties": false
  },
  "rules": [],
  "examples": [
    {
      "prompt": "A fox asleep in tall grass",
      "n": 1,
      "resolution": "1k",
      "aspect_ratio": "1:1"
    },
    {
      "prompt": "A harbour town in the evening, lanterns along the quay",
      "negative_prompt": "cars",
      "n": 3,
      "resolution": "2k",
      "aspect_ratio": "3:2",
      "watermark_info": {
        "enabled": true
      }
    },
    {
      "prompt": "The same house in deep snow",
      "image": "https://files.test/house.jpg",
      "n": 2,
      "aspect_ratio": "4:3"
    }
  ]
};
