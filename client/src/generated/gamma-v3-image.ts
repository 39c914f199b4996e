// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';

/**
 * Pictures with subjects. Draws one to nine pictures from words, from a reference image, or with subjects of
 * the library.
 * - image: an image is required when image_reference is set
 * - element_list: subjects and reference images together must be at most 10
 */
export interface GammaV3ImageInput {
  /**
   * Prompt. What the picture shows. A positive prompt: what must not appear is best said in it, too.
   * 1 to 2500 characters.
   */
  readonly prompt: string;
  /**
   * Negative prompt. What it must not show. Ignored together with an image.
   * At most 2500 characters.
   */
  readonly negative_prompt?: string | null;
  /**
   * Reference image. Makes it image to image; leave it out for text to image.
   * A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides at
   * least 300 px; width by height 0.4 to 2.5.
   */
  readonly image?: string | null;
  /**
   * Pictures.
   * 1 to 9.
   * @default 1
   */
  readonly n?: number | null;
  /**
   * Resolution.
   * @default '1k'
   */
  readonly resolution?: '1k' | '2k' | null;
  /**
   * Aspect ratio.
   * @default '16:9'
   */
  readonly aspect_ratio?: '16:9' | '9:16' | '1:1' | '4:3' | '3:4' | '3:2' | '2:3' | '21:9' | null;
  /** Watermark. Also produce a watermarked result. */
  readonly watermark_info?: {
    /**
     * Watermarked copy.
     * @default false
     */
    readonly enabled?: boolean | null;
  } | null;
  /**
   * Callback address. Notified with POST when the status of the job changes.
   * At most 2048 characters.
   */
  readonly callback_url?: string | null;
  /**
   * Your task id. Looks up the job later; unique among your jobs.
   * 1 to 256 characters.
   */
  readonly external_task_id?: string | null;
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
      "negative_prompt": {
        "type": [
          "string",
          "null"
        ],
        "title": "Negative prompt",
        "description": "What it must not show. Ignored together with an image.",
        "widget": "textarea",
        "maxLength": 2500
      },
      "image": {
        "type": [
          "string",
          "null"
        ],
        "title": "Reference image",
        "description": "Makes it image to image; leave it out for text to image.",
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
      "n": {
        "type": [
          "integer",
          "null"
        ],
        "default": 1,
        "minimum": 1,
        "maximum": 9,
        "title": "Pictures",
        "widget": "slider"
      },
      "resolution": {
        "type": [
          "string",
          "null"
        ],
        "default": "1k",
        "enum": [
          "1k",
          "2k",
          null
        ],
        "title": "Resolution"
      },
      "aspect_ratio": {
        "type": [
          "string",
          "null"
        ],
        "default": "16:9",
        "enum": [
          "16:9",
          "9:16",
          "1:1",
          "4:3",
          "3:4",
          "3:2",
          "2:3",
          "21:9",
          null
        ],
        "title": "Aspect ratio"
      },
      "watermark_info": {
        "type": [
          "object",
          "null"
        ],
        "properties": {
          "enabled": {
            "type": [
              "boolean",
              "null"
            ],
            "default": false,
            "title": "Watermarked copy"
          }
        },
        "additionalProperties": false,
        "title": "Watermark",
        "description": "Also produce a watermarked result.",
        "group": "Delivery"
      },
      "callback_url": {
        "type": [
          "string",
          "null"
        ],
        "maxLength": 2048,
        "title": "Callback address",
        "description": "Notified with POST when the status of the job changes.",
        "format": "uri",
        "group": "Delivery"
      },
      "external_task_id": {
        "type": [
          "string",
          "null"
        ],
        "title": "Your task id",
        "description": "Looks up the job later; unique among your jobs.",
        "minLength": 1,
        "maxLength": 256,
        "group": "Delivery"
      },
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
