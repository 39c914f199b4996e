// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';

/**
 * Image to video. Moves on from a first frame for one to ten seconds, with speech, sounds and music if
 * wanted.
 */
export interface EpsilonQ2TurboImg2videoInput {
  /**
   * First frame. Exactly one image.
   * 1 to 1 item.
   */
  readonly images: readonly string[];
  /**
   * Prompt. What happens in the video.
   * At most 5000 characters.
   */
  readonly prompt?: string | null;
  /**
   * Sound. Speech and background sounds.
   * @default false
   */
  readonly audio?: boolean | null;
  /** Voice. Only with sound. Chosen automatically when empty. */
  readonly voice_id?: string | null;
  /**
   * What is heard. Only with sound.
   * @default 'all'
   */
  readonly audio_type?: 'all' | 'speech_only' | 'sound_effect_only' | null;
  /**
   * Recommended prompt. A prompt of the service takes the place of yours; costs extra.
   * @default false
   */
  readonly is_rec?: boolean | null;
  /**
   * Background music. As long as the video. No effect at 9 and 10 seconds.
   * @default false
   */
  readonly bgm?: boolean | null;
  /**
   * Duration.
   * 1 to 10 s.
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

export const epsilonQ2TurboImg2video: ModelDescription = {
  "id": "epsilon-q2-turbo-img2video",
  "object": "model",
  "owned_by": "atelier",
  "kind": "video",
  "family": "epsilon",
  "title": "Image to video",
  "summary": "Moves on from a first frame for one to ten seconds, with speech, sounds and music if wanted.",
  "accepts_callback": true,
  "limits": {
    "max_body_bytes": 20971520
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
        "title": "First frame",
        "description": "Exactly one image.",
        "minItems": 1,
        "maxItems": 1
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
      "audio": {
        "type": [
          "boolean",
          "null"
        ],
        "default": false,
        "title": "Sound",
        "description": "Speech and background sounds.",
        "group": "Sound"
      },
      "voice_id": {
        "type": [
          "string",
          "null"
        ],
        "title": "Voice",
        "description": "Only with sound. Chosen automatically when empty.",
        "widget": "voice",
        "group": "Sound"
      },
      "audio_type": {
        "type": [
          "string",
          "null"
        ],
        "default": "all",
        "enum": [
          "all",
          "speech_only",
          "sound_effect_only",
          null
        ],
        "title": "What is heard",
        "description": "Only with sound.",
        "group": "Sound"
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
      "bgm": {
        "type": [
          "boolean",
          "null"
        ],
        "default": false,
        "title": "Background music",
        "description": "As long as the video. No effect at 9 and 10 seconds.",
        "group": "Sound"
      },
      "duration": {
        "type": [
          "integer",
          "null"
        ],
        "default": 5,
        "minimum": 1,
        "maximum": 10,
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
  "rules": [],
  "examples": [
    {
      "images": [
        "https://files.test/pier.jpg"
      ],
      "prompt": "Waves roll under the pier",
      "resolution": "540p",
      "duration": 1
    },
    {
      "images": [
        "https://files.test/singer.png"
      ],
      "prompt": "She says: \"Good evening, everybody\"",
      "audio": true,
      "voice_id": "warm-woman",
      "audio_type": "speech_only",
      "duration": 4,
      "seed": 7,
      "resolution": "1080p"
    },
    {
      "images": [
        "https://files.test/garden.webp"
      ],
      "is_rec": true,
      "bgm": true,
      "duration": 6,
      "watermark": true,
      "wm_position": 1,
      "payload": "garden-3"
    }
  ]
};
