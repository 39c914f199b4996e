// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type EpsilonFields, epsilonProperties } from './epsilon.ts';

/**
 * Image to video. Moves on from a first frame for one to ten seconds, with speech, sounds and music if
 * wanted.
 */
export interface EpsilonQ2TurboImg2videoInput extends Pick<EpsilonFields, 'prompt' | 'is_rec' | 'seed' | 'resolution' | 'watermark' | 'wm_url' | 'wm_position' | 'payload' | 'callback_url'> {
  /**
   * First frame. Exactly one image.
   * 1 to 1 item.
   */
  readonly images: readonly string[];
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
      "prompt": epsilonProperties.prompt,
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
      "is_rec": epsilonProperties.is_rec,
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
      "seed": epsilonProperties.seed,
      "resolution": epsilonProperties.resolution,
      "watermark": epsilonProperties.watermark,
      "wm_url": epsilonProperties.wm_url,
      "wm_position": epsilonProperties.wm_position,
      "payload": epsilonProperties.payload,
      "callback_url": epsilonProperties.callback_url
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
