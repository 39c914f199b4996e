// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';

/** Text to video with sound. Draws a video of 2 to 15 seconds with sound from words, in one shot or several. */
export interface Eta26T2vInput {
  /**
   * Prompt. What the video shows, in Chinese or English. Cut after 1500 characters.
   * Must not be empty.
   */
  readonly prompt: string;
  /** Negative prompt. What it must not show, in Chinese or English. */
  readonly negative_prompt?: string | null;
  /**
   * Duration.
   * 2 to 15 s.
   * @default 5
   */
  readonly duration?: number | null;
  /**
   * Size. Width*height in pixels, not a ratio or a level.
   * @default '1920*1080'
   */
  readonly size?: '1280*720' | '720*1280' | '960*960' | '1088*832' | '832*1088' | '1920*1080' | '1080*1920' | '1440*1440' | '1632*1248' | '1248*1632' | null;
  /**
   * Guiding audio. A sound that takes the place of the composed one.
   * A web address or the id of an uploaded file: mpeg, wav, mp4, webm, ogg, flac, aac.
   */
  readonly audio_url?: string | null;
  /** Shots. */
  readonly shot_type?: 'single' | 'multi' | null;
  /**
   * Extend the prompt. Rewrites the prompt; takes longer.
   * @default true
   */
  readonly prompt_extend?: boolean | null;
  /**
   * Seed. Drawn when left out. The same seed does not promise the same video.
   * 0 to 2147483647.
   */
  readonly seed?: number | null;
  /**
   * Watermark. A mark in the lower right corner.
   * @default false
   */
  readonly watermark?: boolean | null;
}

export const eta26T2v: ModelDescription = {
  "id": "eta2.6-t2v",
  "object": "model",
  "owned_by": "atelier",
  "kind": "video",
  "family": "eta",
  "title": "Text to video with sound",
  "summary": "Draws a video of 2 to 15 seconds with sound from words, in one shot or several.",
  "accepts_callback": false,
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
        "description": "What the video shows, in Chinese or English. Cut after 1500 characters.",
        "widget": "textarea",
        "minLength": 1
      },
      "negative_prompt": {
        "type": [
          "string",
          "null"
        ],
        "title": "Negative prompt",
        "description": "What it must not show, in Chinese or English.",
        "widget": "textarea"
      },
      "duration": {
        "type": [
          "integer",
          "null"
        ],
        "default": 5,
        "minimum": 2,
        "maximum": 15,
        "title": "Duration",
        "unit": "s",
        "widget": "slider"
      },
      "size": {
        "type": [
          "string",
          "null"
        ],
        "default": "1920*1080",
        "enum": [
          "1280*720",
          "720*1280",
          "960*960",
          "1088*832",
          "832*1088",
          "1920*1080",
          "1080*1920",
          "1440*1440",
          "1632*1248",
          "1248*1632",
          null
        ],
        "title": "Size",
        "description": "Width*height in pixels, not a ratio or a level.",
        "unit": "px",
        "widget": "size"
      },
      "audio_url": {
        "type": [
          "string",
          "null"
        ],
        "title": "Guiding audio",
        "description": "A sound that takes the place of the composed one.",
        "media": {
          "kind": "audio",
          "forms": [
            "url"
          ],
          "formats": [
            "audio/mpeg",
            "audio/wav",
            "audio/mp4",
            "audio/webm",
            "audio/ogg",
            "audio/flac",
            "audio/aac"
          ]
        }
      },
      "shot_type": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "single",
          "multi",
          null
        ],
        "title": "Shots"
      },
      "prompt_extend": {
        "type": [
          "boolean",
          "null"
        ],
        "default": true,
        "title": "Extend the prompt",
        "description": "Rewrites the prompt; takes longer."
      },
      "seed": {
        "type": [
          "integer",
          "null"
        ],
        "minimum": 0,
        "maximum": 2147483647,
        "title": "Seed",
        "description": "Drawn when left out. The same seed does not promise the same video.",
        "widget": "seed"
      },
      "watermark": {
        "type": [
          "boolean",
          "null"
        ],
        "default": false,
        "title": "Watermark",
        "description": "A mark in the lower right corner."
      }
    },
    "required": [
      "prompt"
    ],
    "additionalProperties": false
  },
  "rules": [],
  "examples": [
    {
      "prompt": "A sailboat crossing a calm bay at sunrise",
      "duration": 2,
      "size": "1280*720"
    },
    {
      "prompt": "Lanterns rise over a mountain village on a snowy night",
      "negative_prompt": "text",
      "duration": 8,
      "size": "1080*1920",
      "shot_type": "multi",
      "prompt_extend": false,
      "seed": 42,
      "watermark": true
    },
    {
      "prompt": "海边的灯塔，暴风雨来临",
      "duration": 3,
      "size": "832*1088",
      "audio_url": "https://files.test/waves.mp3"
    }
  ]
};
