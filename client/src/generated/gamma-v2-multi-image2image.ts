// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type GammaFields, gammaProperties } from './gamma.ts';

/**
 * Pictures from several images. Brings one to four subjects together in new pictures, with a scene and a
 * style to follow.
 */
export interface GammaV2MultiImage2imageInput extends Pick<GammaFields, 'n' | 'aspect_ratio' | 'watermark_info' | 'callback_url' | 'external_task_id'> {
  /**
   * Prompt. What the picture shows.
   * At most 2500 characters.
   */
  readonly prompt?: string | null;
  /**
   * Subjects. One to four images.
   * 1 to 4 items.
   */
  readonly subject_image_list: readonly ({
    /**
     * Subject image. Already cropped to the subject: the service crops nothing.
     * A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides
     * at least 300 px; width by height 0.4 to 2.5.
     */
    readonly subject_image: string;
  })[];
  /**
   * Scene. Where the subjects are.
   * A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides at
   * least 300 px; width by height 0.4 to 2.5.
   */
  readonly scene_image?: string | null;
  /**
   * Style. How it is drawn.
   * A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides at
   * least 300 px; width by height 0.4 to 2.5.
   */
  readonly style_image?: string | null;
  /** Resolution. */
  readonly resolution?: '1k' | null;
}

export const gammaV2MultiImage2image: ModelDescription = {
  "id": "gamma-v2-multi-image2image",
  "object": "model",
  "owned_by": "atelier",
  "kind": "image",
  "family": "gamma",
  "title": "Pictures from several images",
  "summary": "Brings one to four subjects together in new pictures, with a scene and a style to follow.",
  "accepts_callback": true,
  "limits": {
    "max_body_bytes": 67108864
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "prompt": {
        "type": [
          "string",
          "null"
        ],
        "title": "Prompt",
        "description": "What the picture shows.",
        "widget": "textarea",
        "maxLength": 2500
      },
      "subject_image_list": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "subject_image": {
              "type": "string",
              "title": "Subject image",
              "description": "Already cropped to the subject: the service crops nothing.",
              "media": {
                "kind": "image",
                "forms": [
                  "url",
                  "raw-base64"
                ],
                "formats": [
                  "image/jpeg",
                  "image/png"
                ],
                "maxBytes": 10485760,
                "sides": {
                  "min": 300,
                  "max": null
                },
                "ratio": {
                  "min": 0.4,
                  "max": 2.5
                }
              }
            }
          },
          "required": [
            "subject_image"
          ],
          "additionalProperties": false,
          "title": "Subject"
        },
        "title": "Subjects",
        "description": "One to four images.",
        "minItems": 1,
        "maxItems": 4
      },
      "scene_image": {
        "type": [
          "string",
          "null"
        ],
        "title": "Scene",
        "description": "Where the subjects are.",
        "media": {
          "kind": "image",
          "forms": [
            "url",
            "raw-base64"
          ],
          "formats": [
            "image/jpeg",
            "image/png"
          ],
          "maxBytes": 10485760,
          "sides": {
            "min": 300,
            "max": null
          },
          "ratio": {
            "min": 0.4,
            "max": 2.5
          }
        }
      },
      "style_image": {
        "type": [
          "string",
          "null"
        ],
        "title": "Style",
        "description": "How it is drawn.",
        "media": {
          "kind": "image",
          "forms": [
            "url",
            "raw-base64"
          ],
          "formats": [
            "image/jpeg",
            "image/png"
          ],
          "maxBytes": 10485760,
          "sides": {
            "min": 300,
            "max": null
          },
          "ratio": {
            "min": 0.4,
            "max": 2.5
          }
        }
      },
      "n": gammaProperties.n,
      "resolution": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "1k",
          null
        ],
        "title": "Resolution"
      },
      "aspect_ratio": gammaProperties.aspect_ratio,
      "watermark_info": gammaProperties.watermark_info,
      "callback_url": gammaProperties.callback_url,
      "external_task_id": gammaProperties.external_task_id
    },
    "required": [
      "subject_image_list"
    ],
    "additionalProperties": false
  },
  "rules": [],
  "examples": [
    {
      "prompt": "The dog from the picture on a beach",
      "subject_image_list": [
        {
          "subject_image": "https://files.test/dog.png"
        }
      ],
      "n": 1,
      "aspect_ratio": "1:1"
    },
    {
      "prompt": "Both friends at the table",
      "subject_image_list": [
        {
          "subject_image": "https://files.test/anna.jpg"
        },
        {
          "subject_image": "https://files.test/ben.jpg"
        }
      ],
      "scene_image": "https://files.test/kitchen.jpg",
      "style_image": "https://files.test/watercolour.png",
      "n": 4,
      "aspect_ratio": "16:9"
    },
    {
      "subject_image_list": [
        {
          "subject_image": "https://files.test/teapot.png"
        }
      ],
      "style_image": "https://files.test/woodcut.png",
      "n": 2,
      "aspect_ratio": "3:4",
      "watermark_info": {
        "enabled": true
      }
    }
  ]
};
