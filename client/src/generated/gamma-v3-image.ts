// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type GammaFields, gammaProperties } from './gamma.ts';

/**
 * Pictures with subjects. Draws one to nine pictures from words, from a reference image, or with subjects of
 * the library.
 * - image: an image is required when image_reference is set
 * - element_list: subjects and reference images together must be at most 10
 */
export interface GammaV3ImageInput extends GammaFields {
  /**
   * Prompt. What the picture shows. A positive prompt: what must not appear is best said in it, too.
   * 1 to 2500 characters.
   */
  readonly prompt: string;
  /**
   * Taken from the image. subject: the features of the character; face: its looks, with exactly one face in
   * the image.
   */
  readonly image_reference?: 'subject' | 'face' | null;
  /**
   * Subjects. Of the subject library; together with the reference image at most 10.
   * At most 10 items.
   */
  readonly element_list?: readonly ({
    /**
     * Element id.
     * At least 0.
     */
    readonly element_id: number | bigint;
  })[] | null;
}

export const gammaV3Image: ModelDescription = {
  "id": "gamma-v3-image",
  "object": "model",
  "owned_by": "atelier",
  "kind": "image",
  "family": "gamma",
  "title": "Pictures with subjects",
  "summary": "Draws one to nine pictures from words, from a reference image, or with subjects of the library.",
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
        "description": "What the picture shows. A positive prompt: what must not appear is best said in it, too.",
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
      "external_task_id": gammaProperties.external_task_id,
      "image_reference": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "subject",
          "face",
          null
        ],
        "title": "Taken from the image",
        "description": "subject: the features of the character; face: its looks, with exactly one face in the image."
      },
      "element_list": {
        "type": [
          "array",
          "null"
        ],
        "items": {
          "type": "object",
          "properties": {
            "element_id": {
              "title": "Element id",
              "type": "integer",
              "format": "int64",
              "minimum": 0
            }
          },
          "required": [
            "element_id"
          ],
          "additionalProperties": false
        },
        "title": "Subjects",
        "description": "Of the subject library; together with the reference image at most 10.",
        "maxItems": 10
      }
    },
    "required": [
      "prompt"
    ],
    "additionalProperties": false
  },
  "rules": [
    {
      "says": "an image is required when image_reference is set",
      "fields": [
        "image",
        "image_reference"
      ]
    },
    {
      "says": "subjects and reference images together must be at most 10",
      "fields": [
        "element_list",
        "image"
      ]
    }
  ],
  "examples": [
    {
      "prompt": "A red balloon over a quiet lake at dawn",
      "n": 1,
      "resolution": "1k",
      "aspect_ratio": "1:1"
    },
    {
      "prompt": "A lighthouse on a cliff in a storm, lightning far out at sea",
      "negative_prompt": "people",
      "n": 4,
      "resolution": "2k",
      "aspect_ratio": "21:9",
      "watermark_info": {
        "enabled": true
      }
    },
    {
      "prompt": "The same person as a sailor on a wooden boat",
      "image": "https://files.test/portrait.png",
      "image_reference": "face",
      "aspect_ratio": "3:4"
    }
  ]
};
