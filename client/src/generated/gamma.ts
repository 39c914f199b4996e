// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { JsonSchema } from '../bodies.ts';

/** Fields that two or more models of the gamma family have in common. */
export interface GammaFields {
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
   * Pictures.
   * 1 to 9.
   * @default 1
   */
  readonly n?: number | null;
  /**
   * Aspect ratio.
   * @default '16:9'
   */
  readonly aspect_ratio?: '16:9' | '9:16' | '1:1' | '4:3' | '3:4' | '3:2' | '2:3' | '21:9' | null;
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
   * Resolution.
   * @default '1k'
   */
  readonly resolution?: '1k' | '2k' | null;
}

/** Their JSON Schemas. */
export const gammaProperties: Readonly<Record<'watermark_info' | 'callback_url' | 'external_task_id' | 'n' | 'aspect_ratio' | 'negative_prompt' | 'image' | 'resolution', JsonSchema>> = {
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
  }
};
