// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { JsonSchema } from '../bodies.ts';

/** Fields that two or more models of the epsilon family have in common. */
export interface EpsilonFields {
  /**
   * Resolution.
   * @default '720p'
   */
  readonly resolution?: '540p' | '720p' | '1080p' | null;
  /**
   * Watermark. Also gives a copy with a mark.
   * @default false
   */
  readonly watermark?: boolean | null;
  /**
   * Mark. The standard mark when left out. No effect without a watermark.
   * A web address or the id of an uploaded file: png, jpeg, webp, gif, bmp, tiff.
   */
  readonly wm_url?: string | null;
  /** Metadata. Kept in the file as it is. A default that names the job is used when it is empty. */
  readonly meta_data?: string | null;
  /**
   * Pass-through. Given back as it is.
   * At most 1048576 characters.
   */
  readonly payload?: string | null;
  /**
   * Callback address. Notified with POST when the status of the job changes.
   * At most 2048 characters.
   */
  readonly callback_url?: string | null;
  /**
   * Prompt. What happens in the video.
   * At most 5000 characters.
   */
  readonly prompt?: string | null;
  /**
   * Recommended prompt. A prompt of the service takes the place of yours; costs extra.
   * @default false
   */
  readonly is_rec?: boolean | null;
  /**
   * Seed. Drawn when left out or 0.
   * -9007199254740991 to 9007199254740991.
   */
  readonly seed?: number | null;
  /**
   * Position of the mark. 1 top left, 2 top right, 3 bottom right, 4 bottom left.
   * @default 3
   */
  readonly wm_position?: 1 | 2 | 3 | 4 | null;
}

/** Their JSON Schemas. */
export const epsilonProperties: Readonly<Record<'resolution' | 'watermark' | 'wm_url' | 'meta_data' | 'payload' | 'callback_url' | 'prompt' | 'is_rec' | 'seed' | 'wm_position', JsonSchema>> = {
  "resolution": {
    "type": [
      "string",
      "null"
    ],
    "default": "720p",
    "enum": [
      "540p",
      "720p",
      "1080p",
      null
    ],
    "title": "Resolution"
  },
  "watermark": {
    "type": [
      "boolean",
      "null"
    ],
    "default": false,
    "title": "Watermark",
    "description": "Also gives a copy with a mark.",
    "group": "Watermark"
  },
  "wm_url": {
    "type": [
      "string",
      "null"
    ],
    "title": "Mark",
    "description": "The standard mark when left out. No effect without a watermark.",
    "media": {
      "kind": "image",
      "forms": [
        "url"
      ],
      "formats": [
        "image/png",
        "image/jpeg",
        "image/webp",
        "image/gif",
        "image/bmp",
        "image/tiff"
      ]
    }
  },
  "meta_data": {
    "type": [
      "string",
      "null"
    ],
    "title": "Metadata",
    "description": "Kept in the file as it is. A default that names the job is used when it is empty.",
    "group": "Delivery",
    "contentMediaType": "application/json"
  },
  "payload": {
    "type": [
      "string",
      "null"
    ],
    "title": "Pass-through",
    "description": "Given back as it is.",
    "group": "Delivery",
    "maxLength": 1048576
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
  "prompt": {
    "type": [
      "string",
      "null"
    ],
    "title": "Prompt",
    "description": "What happens in the video.",
    "widget": "textarea",
    "maxLength": 5000
  },
  "is_rec": {
    "type": [
      "boolean",
      "null"
    ],
    "default": false,
    "title": "Recommended prompt",
    "description": "A prompt of the service takes the place of yours; costs extra."
  },
  "seed": {
    "type": [
      "integer",
      "null"
    ],
    "minimum": -9007199254740991,
    "maximum": 9007199254740991,
    "title": "Seed",
    "description": "Drawn when left out or 0.",
    "widget": "seed"
  },
  "wm_position": {
    "type": [
      "number",
      "null"
    ],
    "default": 3,
    "enum": [
      1,
      2,
      3,
      4,
      null
    ],
    "title": "Position of the mark",
    "group": "Watermark",
    "description": "1 top left, 2 top right, 3 bottom right, 4 bottom left."
  }
};
