// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type AlphaFields, alphaProperties } from './alpha.ts';

/**
 * Video from words or frames, with drafts. Draws a video of 4 to 12 seconds with sound from words, from its
 * frames, or from a draft.
 * - content: a last_frame is only allowed together with a first_frame
 * - content: two frames must have the roles first_frame and last_frame, one each
 * - content: at most two pictures that are no reference_image are allowed, a first_frame and a last_frame
 * - content: at most one text item is allowed
 * - content: a draft_task must be the only item
 * - draft: a draft cannot be made from a draft_task
 * - resolution: a draft must have the resolution 480p
 * - return_last_frame: a draft cannot return its last frame
 * - service_tier: a draft cannot use the service tier flex
 */
export interface Alpha15ProInput extends AlphaFields {
  /**
   * Content. A text and, beside it or alone, the first frame or the first and the last frame; or a draft
   * alone, to be made into its final video.
   * 1 to 3 items.
   */
  readonly content: readonly ({
    readonly type: 'text';
    /**
     * Text. What the video shows; dialogue is best put in double quotes. At most 500 Chinese characters or
     * 1000 English words are recommended.
     * Must not be empty.
     */
    readonly text: string;
  } | {
    readonly type: 'image_url';
    /** Picture. */
    readonly image_url: {
      /**
       * Picture.
       * A web address, a data URL or the id of an uploaded file: jpeg, png, webp, bmp, tiff, gif, heic, heif;
       * under 30 MB; sides 300 to 6000 px, both excluded; width by height 0.4 to 2.5, both excluded.
       */
      readonly url: string;
    };
    /** Role. May be empty or left out for a single first frame. */
    readonly role?: 'first_frame' | 'last_frame' | '' | null;
  } | {
    readonly type: 'draft_task';
    /** Draft. */
    readonly draft_task: {
      /**
       * Draft. The request_id of a finished draft of yours; where the model is made by an upstream that knows
       * drafts of its own, also the id of one of those.
       * Must not be empty.
       */
      readonly id: string;
    };
  })[];
  /**
   * Callback address. Notified with POST when the status of the job changes.
   * At most 2048 characters.
   */
  readonly callback_url?: string | null;
  /**
   * Return the last frame. Also gives the last frame as a png without a watermark, the first frame of a next
   * video.
   * @default false
   */
  readonly return_last_frame?: boolean | null;
  /**
   * Service tier. flex: waits behind all others.
   * @default 'default'
   */
  readonly service_tier?: 'default' | 'flex' | null;
  /**
   * Expires after. Counted from creation; a job that has not ended by then has failed.
   * 3600 to 259200 s.
   * @default 172800
   */
  readonly execution_expires_after?: number | null;
  /**
   * Draft. A cheaper preview in 480p, of which a final video can be made.
   * @default false
   */
  readonly draft?: boolean | null;
  /** Resolution. 720p where it is left out; a draft has 480p. */
  readonly resolution?: '480p' | '720p' | '1080p' | null;
  /**
   * Duration. -1: the model chooses.
   * 4 to 12 s.
   * @default 5
   */
  readonly duration?: number | null;
  /**
   * Seed. -1: a random one.
   * -1 to 4294967295.
   * @default -1
   */
  readonly seed?: number | null;
  /**
   * Camera stands still.
   * @default false
   */
  readonly camera_fixed?: boolean | null;
}

export const alpha15Pro: ModelDescription = {
  "id": "alpha-1-5-pro",
  "object": "model",
  "owned_by": "atelier",
  "kind": "video",
  "family": "alpha",
  "title": "Video from words or frames, with drafts",
  "summary": "Draws a video of 4 to 12 seconds with sound from words, from its frames, or from a draft.",
  "accepts_callback": true,
  "limits": {
    "max_body_bytes": 67108864
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "content": {
        "type": "array",
        "items": {
          "oneOf": [
            {
              "type": "object",
              "properties": {
                "type": {
                  "type": "string",
                  "const": "text"
                },
                "text": {
                  "type": "string",
                  "title": "Text",
                  "description": "What the video shows; dialogue is best put in double quotes. At most 500 Chinese characters or 1000 English words are recommended.",
                  "widget": "textarea",
                  "minLength": 1
                }
              },
              "required": [
                "type",
                "text"
              ],
              "additionalProperties": false,
              "title": "Text"
            },
            {
              "type": "object",
              "properties": {
                "type": {
                  "type": "string",
                  "const": "image_url"
                },
                "image_url": {
                  "type": "object",
                  "properties": {
                    "url": {
                      "type": "string",
                      "title": "Picture",
                      "media": {
                        "kind": "image",
                        "forms": [
                          "url",
                          "data-url"
                        ],
                        "formats": [
                          "image/jpeg",
                          "image/png",
                          "image/webp",
                          "image/bmp",
                          "image/tiff",
                          "image/gif",
                          "image/heic",
                          "image/heif"
                        ],
                        "maxBytes": 31457280,
                        "maxBytesExclusive": true,
                        "sides": {
                          "min": 300,
                          "max": 6000,
                          "exclusive": true
                        },
                        "ratio": {
                          "min": 0.4,
                          "max": 2.5,
                          "exclusive": true
                        }
                      }
                    }
                  },
                  "required": [
                    "url"
                  ],
                  "additionalProperties": false,
                  "title": "Picture"
                },
                "role": {
                  "type": [
                    "string",
                    "null"
                  ],
                  "enum": [
                    "first_frame",
                    "last_frame",
                    "",
                    null
                  ],
                  "title": "Role",
                  "description": "May be empty or left out for a single first frame."
                }
              },
              "required": [
                "type",
                "image_url"
              ],
              "additionalProperties": false,
              "title": "Picture"
            },
            {
              "type": "object",
              "properties": {
                "type": {
                  "type": "string",
                  "const": "draft_task"
                },
                "draft_task": {
                  "type": "object",
                  "properties": {
                    "id": {
                      "type": "string",
                      "title": "Draft",
                      "description": "The request_id of a finished draft of yours; where the model is made by an upstream that knows drafts of its own, also the id of one of those.",
                      "minLength": 1
                    }
                  },
                  "required": [
                    "id"
                  ],
                  "additionalProperties": false,
                  "title": "Draft"
                }
              },
              "required": [
                "type",
                "draft_task"
              ],
              "additionalProperties": false,
              "title": "Draft"
            }
          ]
        },
        "title": "Content",
        "description": "A text and, beside it or alone, the first frame or the first and the last frame; or a draft alone, to be made into its final video.",
        "minItems": 1,
        "maxItems": 3
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
      "return_last_frame": {
        "type": [
          "boolean",
          "null"
        ],
        "default": false,
        "title": "Return the last frame",
        "description": "Also gives the last frame as a png without a watermark, the first frame of a next video.",
        "group": "Delivery"
      },
      "service_tier": {
        "type": [
          "string",
          "null"
        ],
        "default": "default",
        "enum": [
          "default",
          "flex",
          null
        ],
        "title": "Service tier",
        "description": "flex: waits behind all others.",
        "group": "Delivery"
      },
      "execution_expires_after": {
        "type": [
          "integer",
          "null"
        ],
        "default": 172800,
        "minimum": 3600,
        "maximum": 259200,
        "title": "Expires after",
        "description": "Counted from creation; a job that has not ended by then has failed.",
        "unit": "s",
        "group": "Delivery"
      },
      "generate_audio": alphaProperties.generate_audio,
      "draft": {
        "type": [
          "boolean",
          "null"
        ],
        "default": false,
        "title": "Draft",
        "description": "A cheaper preview in 480p, of which a final video can be made."
      },
      "resolution": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "480p",
          "720p",
          "1080p",
          null
        ],
        "title": "Resolution",
        "description": "720p where it is left out; a draft has 480p."
      },
      "ratio": alphaProperties.ratio,
      "duration": {
        "default": 5,
        "anyOf": [
          {
            "type": "integer",
            "minimum": 4,
            "maximum": 12
          },
          {
            "type": "number",
            "const": -1
          },
          {
            "type": "null"
          }
        ],
        "title": "Duration",
        "description": "-1: the model chooses.",
        "unit": "s",
        "widget": "slider"
      },
      "seed": {
        "type": [
          "integer",
          "null"
        ],
        "default": -1,
        "minimum": -1,
        "maximum": 4294967295,
        "title": "Seed",
        "description": "-1: a random one.",
        "widget": "seed"
      },
      "camera_fixed": {
        "type": [
          "boolean",
          "null"
        ],
        "default": false,
        "title": "Camera stands still"
      },
      "watermark": alphaProperties.watermark
    },
    "required": [
      "content"
    ],
    "additionalProperties": false
  },
  "rules": [
    {
      "says": "a last_frame is only allowed together with a first_frame",
      "fields": [
        "content"
      ]
    },
    {
      "says": "two frames must have the roles first_frame and last_frame, one each",
      "fields": [
        "content"
      ]
    },
    {
      "says": "at most two pictures that are no reference_image are allowed, a first_frame and a last_frame",
      "fields": [
        "content"
      ]
    },
    {
      "says": "at most one text item is allowed",
      "fields": [
        "content"
      ]
    },
    {
      "says": "a draft_task must be the only item",
      "fields": [
        "content"
      ]
    },
    {
      "says": "a draft cannot be made from a draft_task",
      "fields": [
        "draft",
        "content"
      ]
    },
    {
      "says": "a draft must have the resolution 480p",
      "fields": [
        "resolution",
        "draft"
      ]
    },
    {
      "says": "a draft cannot return its last frame",
      "fields": [
        "return_last_frame",
        "draft"
      ]
    },
    {
      "says": "a draft cannot use the service tier flex",
      "fields": [
        "service_tier",
        "draft"
      ]
    }
  ],
  "examples": [
    {
      "content": [
        {
          "type": "text",
          "text": "A lighthouse on a cliff at dusk, slow waves"
        }
      ],
      "resolution": "480p",
      "duration": 4
    },
    {
      "content": [
        {
          "type": "text",
          "text": "The fog lifts from the harbour"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": "https://files.test/harbour.jpg"
          }
        }
      ],
      "draft": true,
      "seed": 7,
      "camera_fixed": true
    },
    {
      "content": [
        {
          "type": "image_url",
          "image_url": {
            "url": "https://files.test/bud.png"
          },
          "role": "first_frame"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": "https://files.test/bloom.png"
          },
          "role": "last_frame"
        }
      ],
      "resolution": "1080p",
      "ratio": "1:1",
      "duration": 6,
      "generate_audio": false,
      "return_last_frame": true,
      "service_tier": "flex",
      "watermark": true
    },
    {
      "content": [
        {
          "type": "draft_task",
          "draft_task": {
            "id": "019e0000-0000-7000-8000-000000000001"
          }
        }
      ],
      "resolution": "1080p"
    }
  ]
};
