// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';

/** Image to video, one clip or several. Moves on from a first frame for 1 to 15 seconds, with sound if wanted. */
export interface ZetaV6I2vInput {
  /**
   * First frame. A public address.
   * A web address or the id of an uploaded file: jpeg, png, webp; at most 20 MB; sides 1 to 10000 px.
   */
  readonly image: string;
  /**
   * Prompt. What happens in the video.
   * 1 to 5000 characters.
   */
  readonly prompt: string;
  /**
   * Duration.
   * 1 to 15 s.
   */
  readonly duration: number;
  /** Quality. Costs more a second the higher it is, and more with sound. */
  readonly quality: '360p' | '540p' | '720p' | '1080p';
  /**
   * Seed. Drawn when left out.
   * 0 to 2147483647.
   */
  readonly seed?: number | null;
  /**
   * Sound.
   * @default false
   */
  readonly generate_audio_switch?: boolean | null;
  /**
   * Several clips.
   * @default false
   */
  readonly generate_multi_clip_switch?: boolean | null;
}

export const zetaV6I2v: ModelDescription = {
  "id": "zeta-v6-i2v",
  "object": "model",
  "owned_by": "atelier",
  "kind": "video",
  "family": "zeta",
  "title": "Image to video, one clip or several",
  "summary": "Moves on from a first frame for 1 to 15 seconds, with sound if wanted.",
  "accepts_callback": false,
  "limits": {
    "max_body_bytes": 67108864
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "image": {
        "type": "string",
        "title": "First frame",
        "description": "A public address.",
        "media": {
          "kind": "image",
          "forms": [
            "url"
          ],
          "formats": [
            "image/jpeg",
            "image/png",
            "image/webp"
          ],
          "maxBytes": 20971520,
          "sides": {
            "min": 1,
            "max": 10000
          }
        }
      },
      "prompt": {
        "type": "string",
        "title": "Prompt",
        "description": "What happens in the video.",
        "widget": "textarea",
        "minLength": 1,
        "maxLength": 5000
      },
      "duration": {
        "type": "number",
        "minimum": 1,
        "maximum": 15,
        "title": "Duration",
        "unit": "s",
        "widget": "slider"
      },
      "quality": {
        "type": "string",
        "enum": [
          "360p",
          "540p",
          "720p",
          "1080p"
        ],
        "title": "Quality",
        "description": "Costs more a second the higher it is, and more with sound."
      },
      "seed": {
        "type": [
          "integer",
          "null"
        ],
        "minimum": 0,
        "maximum": 2147483647,
        "title": "Seed",
        "description": "Drawn when left out.",
        "widget": "seed"
      },
      "generate_audio_switch": {
        "type": [
          "boolean",
          "null"
        ],
        "default": false,
        "title": "Sound"
      },
      "generate_multi_clip_switch": {
        "type": [
          "boolean",
          "null"
        ],
        "default": false,
        "title": "Several clips"
      }
    },
    "required": [
      "image",
      "prompt",
      "duration",
      "quality"
    ],
    "additionalProperties": false
  },
  "rules": [],
  "examples": [
    {
      "image": "https://files.test/harbour.jpg",
      "prompt": "Boats rock gently in the harbour",
      "duration": 1,
      "quality": "360p"
    },
    {
      "image": "https://files.test/runner.png",
      "prompt": "She runs along the river, then through the city, then into the woods",
      "duration": 12,
      "quality": "1080p",
      "seed": 99,
      "generate_audio_switch": true,
      "generate_multi_clip_switch": true
    },
    {
      "image": "https://files.test/candle.webp",
      "prompt": "The candle flickers in a draught",
      "duration": 2.5,
      "quality": "720p",
      "generate_audio_switch": true
    }
  ]
};
