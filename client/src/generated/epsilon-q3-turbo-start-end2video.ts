// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';

/**
 * Between two frames. Draws the 1 to 16 seconds that lead from a start frame to an end frame, with sound.
 * - images: the width and the height of the start frame must each be 0.8 to 1.25 times those of the end frame
 */
export interface EpsilonQ3TurboStartEnd2videoInput {
  /**
   * Start and end frame. Two images of about the same size; the first is the start frame.
   * 2 to 2 items.
   */
  readonly images: readonly string[];
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
   * Duration.
   * 1 to 16 s.
   * @default 5
   */
  readonly duration?: number | null;
  /**
   * Seed. Drawn when left out or 0.
   * -9007199254740991 to 9007199254740991.
   */
  readonly seed?: number | null;
  /**
   * Resolution.
   * @default '720p'
   */
  readonly resolution?: '540p' | '720p' | '1080p' | null;
  /**
   * Sound. Speech and effects.
   * @default true
   */
  readonly audio?: boolean | null;
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
  /**
   * Position of the mark. 1 top left, 2 top right, 3 bottom right, 4 bottom left.
   * @default 3
   */
  readonly wm_position?: 1 | 2 | 3 | 4 | null;
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
}

export const epsilonQ3TurboStartEnd2video: ModelDescription = {
  "id": "epsilon-q3-turbo-start-end2video",
  "object": "model",
  "owned_by": "atelier",
  "kind": "video",
  "family": "epsilon",
  "title": "Between two frames",
  "summary": "Draws the 1 to 16 seconds that lead from a start frame to an end frame, with sound.",
  "accepts_callback": true,
  "limits": {
    "max_body_bytes": 20971519
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "images": {
        "type": "array",
        "items": {
          "type": "string",
          "title": "Image",
          "media": {
            "kind": "image",
            "forms": [
              "url",
              "data-url"
            ],
            "formats": [
              "image/png",
              "image/jpeg",
              "image/webp"
            ],
            "maxBytes": 52428800,
            "ratio": {
              "min": 0.25,
              "max": 4,
              "exclusive": true
            }
          }
        },
        "title": "Start and end frame",
        "description": "Two images of about the same size; the first is the start frame.",
        "minItems": 2,
        "maxItems": 2
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
      "duration": {
        "type": [
          "integer",
          "null"
        ],
        "default": 5,
        "minimum": 1,
        "maximum": 16,
        "title": "Duration",
        "unit": "s",
        "widget": "slider"
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
      "audio": {
        "type": [
          "boolean",
          "null"
        ],
        "default": true,
        "title": "Sound",
        "description": "Speech and effects."
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
      }
    },
    "required": [
      "images"
    ],
    "additionalProperties": false
  },
  "rules": [
    {
      "says": "the width and the height of the start frame must each be 0.8 to 1.25 times those of the end frame",
      "fields": [
        "images"
      ]
    }
  ],
  "examples": [
    {
      "images": [
        "https://files.test/day.jpg",
        "https://files.test/night.jpg"
      ],
      "prompt": "Day turns into night",
      "duration": 1,
      "resolution": "540p",
      "audio": false
    },
    {
      "images": [
        "https://files.test/seed.png",
        "https://files.test/tree.png"
      ],
      "prompt": "A seed grows into a tree",
      "duration": 8,
      "seed": 21,
      "resolution": "1080p"
    },
    {
      "images": [
        "https://files.test/winter.webp",
        "https://files.test/spring.webp"
      ],
      "is_rec": true,
      "duration": 4,
      "watermark": true,
      "wm_url": "https://files.test/logo.png",
      "wm_position": 4,
      "payload": "seasons-1"
    }
  ]
};
