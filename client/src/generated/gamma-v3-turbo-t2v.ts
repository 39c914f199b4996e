// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';

/**
 * Text to video, fast. Draws a video of 3 to 15 seconds from words, in one shot or up to six.
 * - prompt: the seconds of the shots must add up to settings.duration
 */
export interface GammaV3TurboT2vInput {
  /**
   * Prompt. What the video shows. Several shots: `shot n, m, words` one after another, with n the number and
   * m the seconds of the shot; 1 to 6 shots. 2500 characters are recommended.
   * 1 to 3072 characters.
   */
  readonly prompt: string;
  /** Settings. */
  readonly settings?: {
    /**
     * Resolution.
     * @default '720p'
     */
    readonly resolution?: '720p' | '1080p' | null;
    /**
     * Aspect ratio.
     * @default '16:9'
     */
    readonly aspect_ratio?: '16:9' | '9:16' | '1:1' | null;
    /**
     * Duration.
     * 3 to 15 s.
     * @default 5
     */
    readonly duration?: number | null;
  } | null;
  /** Options. */
  readonly options?: {
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
    /** Watermark. Also produce a watermarked result. */
    readonly watermark_info?: {
      /**
       * Watermarked copy.
       * @default false
       */
      readonly enabled?: boolean | null;
    } | null;
  } | null;
}

export const gammaV3TurboT2v: ModelDescription = {
  "id": "gamma-v3-turbo-t2v",
  "object": "model",
  "owned_by": "atelier",
  "kind": "video",
  "family": "gamma",
  "title": "Text to video, fast",
  "summary": "Draws a video of 3 to 15 seconds from words, in one shot or up to six.",
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
        "description": "What the video shows. Several shots: `shot n, m, words` one after another, with n the number and m the seconds of the shot; 1 to 6 shots. 2500 characters are recommended.",
        "widget": "shots",
        "minLength": 1,
        "maxLength": 3072
      },
      "settings": {
        "type": [
          "object",
          "null"
        ],
        "default": {},
        "properties": {
          "resolution": {
            "type": [
              "string",
              "null"
            ],
            "default": "720p",
            "enum": [
              "720p",
              "1080p",
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
              null
            ],
            "title": "Aspect ratio"
          },
          "duration": {
            "type": [
              "integer",
              "null"
            ],
            "default": 5,
            "minimum": 3,
            "maximum": 15,
            "title": "Duration",
            "unit": "s",
            "widget": "slider"
          }
        },
        "additionalProperties": false,
        "title": "Settings"
      },
      "options": {
        "type": [
          "object",
          "null"
        ],
        "properties": {
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
          }
        },
        "additionalProperties": false,
        "title": "Options"
      }
    },
    "required": [
      "prompt"
    ],
    "additionalProperties": false
  },
  "rules": [
    {
      "says": "the seconds of the shots must add up to settings.duration",
      "fields": [
        "prompt",
        "settings.duration"
      ]
    }
  ],
  "examples": [
    {
      "prompt": "A lighthouse on a cliff at dusk, slow waves, warm light",
      "settings": {
        "duration": 5
      }
    },
    {
      "prompt": "shot 1, 2, a paper boat on a puddle\nshot 2, 3, the boat sails past a curb in the rain",
      "settings": {
        "resolution": "720p",
        "aspect_ratio": "9:16",
        "duration": 5
      }
    },
    {
      "prompt": "City lights from above at night",
      "settings": {
        "resolution": "1080p",
        "aspect_ratio": "1:1",
        "duration": 3
      }
    }
  ]
};
