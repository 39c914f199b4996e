// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type GammaFields, gammaProperties } from './gamma.ts';

/**
 * Video from everything. Draws a video of 3 to 15 seconds from words, images, frames, elements and a video,
 * or edits a video.
 * - shot_type: the shot_type is required when multi_shot is true
 * - prompt: the prompt must not be empty unless multi_shot is true with shot_type customize
 * - multi_prompt: the shots are required when multi_shot is true with shot_type customize
 * - multi_prompt: each shot must have an index of its own
 * - multi_prompt: the durations of the shots must add up to the duration
 * - prompt: the prompt must not refer to an element, image or video that is not given
 * - multi_prompt: a shot must not refer to an element, image or video that is not given
 * - image_list: there must be at most one first_frame and one end_frame
 * - image_list: an end_frame needs a first_frame
 * - image_list: with more than 2 images there must be no end_frame
 * - image_list: a first_frame or end_frame cannot be used together with a base video
 * - element_list: with a first_frame there must be at most 3 elements
 * - image_list: images and elements together must be at most 7, or 4 with a reference video
 * - sound: the sound must be off when a reference video is given
 * - aspect_ratio: the aspect_ratio is required unless there is a first_frame or a base video
 */
export interface GammaV3OmniVideoInput extends Pick<GammaFields, 'watermark_info' | 'callback_url' | 'external_task_id'> {
  /**
   * Several shots.
   * @default false
   */
  readonly multi_shot?: boolean | null;
  /** Cut by. customize: the shots below; intelligence: the model, from the prompt. */
  readonly shot_type?: 'customize' | 'intelligence' | null;
  /**
   * Prompt. What the video shows, and what it must not. Refers to <<<element_1>>>, <<<image_1>>>,
   * <<<video_1>>>. Unused with shots of your own.
   * At most 2500 characters.
   */
  readonly prompt?: string | null;
  /**
   * Shots. One to six; their seconds add up to the duration.
   * 1 to 6 items.
   */
  readonly multi_prompt?: readonly ({
    /**
     * Number.
     * 1 to 6.
     */
    readonly index: number;
    /**
     * Prompt.
     * 1 to 512 characters.
     */
    readonly prompt: string;
    /** Duration. */
    readonly duration: string;
  })[] | null;
  /**
   * Images. References, or the first and the last frame. Up to 7, or 4 with a video, elements included.
   * At most 7 items.
   */
  readonly image_list?: readonly ({
    /**
     * Image.
     * A web address, base64 without a prefix, a data URL or the id of an uploaded file: jpeg, png; at most 10
     * MB; sides at least 300 px; width by height 0.4 to 2.5.
     */
    readonly image_url: string;
    /** Use as. Left out: a reference. */
    readonly type?: 'first_frame' | 'end_frame' | null;
  })[] | null;
  /**
   * Elements. Of the subject library.
   * At most 7 items.
   */
  readonly element_list?: readonly ({
    /**
     * Element id.
     * At least 0.
     */
    readonly element_id: number | bigint;
  })[] | null;
  /**
   * Video.
   * At most 1 item.
   */
  readonly video_list?: readonly ({
    /**
     * Video.
     * A web address or the id of an uploaded file: mp4, quicktime; at most 200 MB; sides 700 to 4553 px;
     * width by height 0.4 to 2.5; pixels 490000 to 8294400; length 3 to 15.5 s; frames per second 24 to 60.
     */
    readonly video_url: string;
    /**
     * Use as. base: the video to edit; feature: its characteristics.
     * @default 'base'
     */
    readonly refer_type?: 'feature' | 'base' | null;
    /**
     * Keep its sound. Whether the sound of the reference video stays.
     * @default 'yes'
     */
    readonly keep_original_sound?: 'yes' | 'no' | null;
  })[] | null;
  /**
   * Sound. Only off together with a reference video.
   * @default 'off'
   */
  readonly sound?: 'on' | 'off' | null;
  /**
   * Quality. std is 720p, pro is 1080p.
   * @default 'pro'
   */
  readonly mode?: 'std' | 'pro' | '4k' | null;
  /** Aspect ratio. Required unless a first frame or a base video gives it. */
  readonly aspect_ratio?: '16:9' | '9:16' | '1:1' | null;
  /**
   * Duration. A number, or the same as a string. No effect with a base video.
   * 3 to 15 s.
   * @default 5
   */
  readonly duration?: number | string | null;
}

export const gammaV3OmniVideo: ModelDescription = {
  "id": "gamma-v3-omni-video",
  "object": "model",
  "owned_by": "atelier",
  "kind": "video",
  "family": "gamma",
  "title": "Video from everything",
  "summary": "Draws a video of 3 to 15 seconds from words, images, frames, elements and a video, or edits a video.",
  "accepts_callback": true,
  "limits": {
    "max_body_bytes": 67108864
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "multi_shot": {
        "type": [
          "boolean",
          "null"
        ],
        "default": false,
        "title": "Several shots",
        "group": "Shots"
      },
      "shot_type": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "customize",
          "intelligence",
          null
        ],
        "title": "Cut by",
        "description": "customize: the shots below; intelligence: the model, from the prompt.",
        "group": "Shots"
      },
      "prompt": {
        "type": [
          "string",
          "null"
        ],
        "title": "Prompt",
        "description": "What the video shows, and what it must not. Refers to <<<element_1>>>, <<<image_1>>>, <<<video_1>>>. Unused with shots of your own.",
        "widget": "textarea",
        "maxLength": 2500
      },
      "multi_prompt": {
        "type": [
          "array",
          "null"
        ],
        "items": {
          "type": "object",
          "properties": {
            "index": {
              "type": "integer",
              "minimum": 1,
              "maximum": 6,
              "title": "Number"
            },
            "prompt": {
              "type": "string",
              "title": "Prompt",
              "widget": "textarea",
              "minLength": 1,
              "maxLength": 512
            },
            "duration": {
              "type": "string",
              "pattern": "^(?:[1-9]|1[0-5])$",
              "title": "Duration",
              "unit": "s"
            }
          },
          "required": [
            "index",
            "prompt",
            "duration"
          ],
          "additionalProperties": false,
          "title": "Shot"
        },
        "title": "Shots",
        "description": "One to six; their seconds add up to the duration.",
        "widget": "shots",
        "group": "Shots",
        "minItems": 1,
        "maxItems": 6
      },
      "image_list": {
        "type": [
          "array",
          "null"
        ],
        "items": {
          "type": "object",
          "properties": {
            "image_url": {
              "type": "string",
              "title": "Image",
              "media": {
                "kind": "image",
                "forms": [
                  "url",
                  "raw-base64",
                  "data-url"
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
            "type": {
              "type": [
                "string",
                "null"
              ],
              "enum": [
                "first_frame",
                "end_frame",
                null
              ],
              "title": "Use as",
              "description": "Left out: a reference."
            }
          },
          "required": [
            "image_url"
          ],
          "additionalProperties": false,
          "title": "Image"
        },
        "title": "Images",
        "description": "References, or the first and the last frame. Up to 7, or 4 with a video, elements included.",
        "group": "References",
        "maxItems": 7
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
        "title": "Elements",
        "description": "Of the subject library.",
        "group": "References",
        "maxItems": 7
      },
      "video_list": {
        "type": [
          "array",
          "null"
        ],
        "items": {
          "type": "object",
          "properties": {
            "video_url": {
              "type": "string",
              "title": "Video",
              "media": {
                "kind": "video",
                "forms": [
                  "url"
                ],
                "formats": [
                  "video/mp4",
                  "video/quicktime"
                ],
                "maxBytes": 209715200,
                "sides": {
                  "min": 700,
                  "max": 4553
                },
                "ratio": {
                  "min": 0.4,
                  "max": 2.5
                },
                "pixels": {
                  "min": 490000,
                  "max": 8294400
                },
                "seconds": {
                  "min": 3,
                  "max": 15.5
                },
                "fps": {
                  "min": 24,
                  "max": 60
                }
              }
            },
            "refer_type": {
              "type": [
                "string",
                "null"
              ],
              "default": "base",
              "enum": [
                "feature",
                "base",
                null
              ],
              "title": "Use as",
              "description": "base: the video to edit; feature: its characteristics."
            },
            "keep_original_sound": {
              "type": [
                "string",
                "null"
              ],
              "default": "yes",
              "enum": [
                "yes",
                "no",
                null
              ],
              "title": "Keep its sound",
              "description": "Whether the sound of the reference video stays."
            }
          },
          "required": [
            "video_url"
          ],
          "additionalProperties": false,
          "title": "Video"
        },
        "title": "Video",
        "group": "References",
        "maxItems": 1
      },
      "sound": {
        "type": [
          "string",
          "null"
        ],
        "default": "off",
        "enum": [
          "on",
          "off",
          null
        ],
        "title": "Sound",
        "description": "Only off together with a reference video."
      },
      "mode": {
        "type": [
          "string",
          "null"
        ],
        "default": "pro",
        "enum": [
          "std",
          "pro",
          "4k",
          null
        ],
        "title": "Quality",
        "description": "std is 720p, pro is 1080p."
      },
      "aspect_ratio": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "16:9",
          "9:16",
          "1:1",
          null
        ],
        "title": "Aspect ratio",
        "description": "Required unless a first frame or a base video gives it."
      },
      "duration": {
        "default": 5,
        "anyOf": [
          {
            "type": "integer",
            "minimum": 3,
            "maximum": 15
          },
          {
            "type": "string",
            "pattern": "^(?:[3-9]|1[0-5])$"
          },
          {
            "type": "null"
          }
        ],
        "title": "Duration",
        "description": "A number, or the same as a string. No effect with a base video.",
        "unit": "s",
        "widget": "slider"
      },
      "watermark_info": gammaProperties.watermark_info,
      "callback_url": gammaProperties.callback_url,
      "external_task_id": gammaProperties.external_task_id
    },
    "additionalProperties": false
  },
  "rules": [
    {
      "says": "the shot_type is required when multi_shot is true",
      "fields": [
        "shot_type",
        "multi_shot"
      ]
    },
    {
      "says": "the prompt must not be empty unless multi_shot is true with shot_type customize",
      "fields": [
        "prompt",
        "multi_shot",
        "shot_type"
      ]
    },
    {
      "says": "the shots are required when multi_shot is true with shot_type customize",
      "fields": [
        "multi_prompt",
        "multi_shot",
        "shot_type"
      ]
    },
    {
      "says": "each shot must have an index of its own",
      "fields": [
        "multi_prompt",
        "multi_shot",
        "shot_type"
      ]
    },
    {
      "says": "the durations of the shots must add up to the duration",
      "fields": [
        "multi_prompt",
        "multi_shot",
        "shot_type",
        "duration",
        "video_list"
      ]
    },
    {
      "says": "the prompt must not refer to an element, image or video that is not given",
      "fields": [
        "prompt",
        "multi_shot",
        "shot_type",
        "element_list",
        "image_list",
        "video_list"
      ]
    },
    {
      "says": "a shot must not refer to an element, image or video that is not given",
      "fields": [
        "multi_prompt",
        "multi_shot",
        "shot_type",
        "element_list",
        "image_list",
        "video_list"
      ]
    },
    {
      "says": "there must be at most one first_frame and one end_frame",
      "fields": [
        "image_list"
      ]
    },
    {
      "says": "an end_frame needs a first_frame",
      "fields": [
        "image_list"
      ]
    },
    {
      "says": "with more than 2 images there must be no end_frame",
      "fields": [
        "image_list"
      ]
    },
    {
      "says": "a first_frame or end_frame cannot be used together with a base video",
      "fields": [
        "image_list",
        "video_list"
      ]
    },
    {
      "says": "with a first_frame there must be at most 3 elements",
      "fields": [
        "element_list",
        "image_list"
      ]
    },
    {
      "says": "images and elements together must be at most 7, or 4 with a reference video",
      "fields": [
        "image_list",
        "element_list",
        "video_list"
      ]
    },
    {
      "says": "the sound must be off when a reference video is given",
      "fields": [
        "sound",
        "video_list"
      ]
    },
    {
      "says": "the aspect_ratio is required unless there is a first_frame or a base video",
      "fields": [
        "aspect_ratio",
        "image_list",
        "video_list"
      ]
    }
  ],
  "examples": [
    {
      "prompt": "A cat walks along a roof at dawn",
      "mode": "std",
      "aspect_ratio": "16:9",
      "duration": "3"
    },
    {
      "multi_shot": true,
      "shot_type": "customize",
      "multi_prompt": [
        {
          "index": 1,
          "prompt": "The ship of <<<image_1>>> leaves the harbour",
          "duration": "2"
        },
        {
          "index": 2,
          "prompt": "It meets a storm on the open sea",
          "duration": "4"
        }
      ],
      "image_list": [
        {
          "image_url": "https://files.test/ship.png"
        }
      ],
      "sound": "on",
      "aspect_ratio": "9:16",
      "duration": 6
    },
    {
      "prompt": "From the bud to the open flower",
      "image_list": [
        {
          "image_url": "https://files.test/bud.png",
          "type": "first_frame"
        },
        {
          "image_url": "https://files.test/flower.png",
          "type": "end_frame"
        }
      ],
      "mode": "4k",
      "duration": "5",
      "watermark_info": {
        "enabled": true
      }
    },
    {
      "prompt": "Let it snow in <<<video_1>>>",
      "video_list": [
        {
          "video_url": "https://files.test/street.mp4",
          "refer_type": "base"
        }
      ],
      "mode": "pro"
    }
  ]
};
