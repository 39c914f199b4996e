// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type EpsilonFields, epsilonProperties } from './epsilon.ts';

/**
 * Between two frames. Draws the 1 to 16 seconds that lead from a start frame to an end frame, with sound.
 * - images: the width and the height of the start frame must each be 0.8 to 1.25 times those of the end frame
 */
export interface EpsilonQ3TurboStartEnd2videoInput extends EpsilonFields {
  /**
   * Start and end frame. Two images of about the same size; the first is the start frame.
   * 2 to 2 items.
   */
  readonly images: readonly string[];
  /**
   * Duration.
   * 1 to 16 s.
   * @default 5
   */
  readonly duration?: number | null;
  /**
   * Sound. Speech and effects.
   * @default true
   */
  readonly audio?: boolean | null;
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
      "prompt": epsilonProperties.prompt,
      "is_rec": epsilonProperties.is_rec,
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
      "seed": epsilonProperties.seed,
      "resolution": epsilonProperties.resolution,
      "audio": {
        "type": [
          "boolean",
          "null"
        ],
        "default": true,
        "title": "Sound",
        "description": "Speech and effects."
      },
      "watermark": epsilonProperties.watermark,
      "wm_url": epsilonProperties.wm_url,
      "wm_position": epsilonProperties.wm_position,
      "meta_data": epsilonProperties.meta_data,
      "payload": epsilonProperties.payload,
      "callback_url": epsilonProperties.callback_url
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
