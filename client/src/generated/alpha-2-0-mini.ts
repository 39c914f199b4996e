// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type AlphaFields, alphaProperties } from './alpha.ts';

/**
 * Video from words, pictures, videos and sounds. Draws a video of 4 to 15 seconds with sound from words, from
 * its frames, or with references.
 * - content: a last_frame is only allowed together with a first_frame
 * - content: two frames must have the roles first_frame and last_frame, one each
 * - content: at most two pictures that are no reference_image are allowed, a first_frame and a last_frame
 * - content: at most 50 texts are allowed
 * - content: first and last frames cannot be mixed with references; a reference picture must have the role
 *   reference_image
 * - content: a sound requires at least one reference picture or video
 * - content: at most 9 reference pictures are allowed
 * - content: at most 3 videos are allowed
 * - content: at most 3 sounds are allowed
 * - content: the videos must be at most 15 s together
 * - content: the sounds must be at most 15 s together
 */
export interface Alpha20MiniInput extends AlphaFields {
  /**
   * Content. Texts and, beside them or alone, either the first frame, the first and the last frame, or
   * references: up to 9 pictures, 3 videos and 3 sounds.
   * 1 to 65 items.
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
       * A web address, a data URL or the id of an uploaded file: jpeg, png, webp, bmp, tiff, gif; under 30
       * MB; sides 300 to 6000 px, both excluded; width by height 0.4 to 2.5, both excluded.
       */
      readonly url: string;
    };
    /** Role. May be empty or left out for a single first frame. */
    readonly role?: 'first_frame' | 'last_frame' | 'reference_image' | '' | null;
  } | {
    readonly type: 'video_url';
    /** Video. */
    readonly video_url: {
      /**
       * Video.
       * A web address or the id of an uploaded file: mp4, quicktime; at most 200 MB; sides 300 to 6000 px;
       * width by height 0.4 to 2.5; pixels 409600 to 8295044; length 2 to 15 s; frames per second 24 to 60.
       */
      readonly url: string;
    };
    /** Role. */
    readonly role: 'reference_video';
  } | {
    readonly type: 'audio_url';
    /** Sound. */
    readonly audio_url: {
      /**
       * Sound.
       * A web address, a data URL or the id of an uploaded file: wav, mpeg; at most 15 MB; length 2 to 15 s.
       */
      readonly url: string;
    };
    /** Role. */
    readonly role: 'reference_audio';
  })[];
  /**
   * Resolution.
   * @default '720p'
   */
  readonly resolution?: '480p' | '720p' | null;
  /**
   * Duration. -1: the model chooses.
   * 4 to 15 s.
   * @default 5
   */
  readonly duration?: number | null;
}

export const alpha20Mini: ModelDescription = {
  "id": "alpha-2-0-mini",
  "object": "model",
  "owned_by": "atelier",
  "kind": "video",
  "family": "alpha",
  "title": "Video from words, pictures, videos and sounds",
  "summary": "Draws a video of 4 to 15 seconds with sound from words, from its frames, or with references.",
  "accepts_callback": false,
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
                          "image/gif"
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
                    "reference_image",
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
                  "const": "video_url"
                },
                "video_url": {
                  "type": "object",
                  "properties": {
                    "url": {
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
                          "min": 300,
                          "max": 6000
                        },
                        "ratio": {
                          "min": 0.4,
                          "max": 2.5
                        },
                        "pixels": {
                          "min": 409600,
                          "max": 8295044
                        },
                        "seconds": {
                          "min": 2,
                          "max": 15
                        },
                        "fps": {
                          "min": 24,
                          "max": 60
                        }
                      }
                    }
                  },
                  "required": [
                    "url"
                  ],
                  "additionalProperties": false,
                  "title": "Video"
                },
                "role": {
                  "type": "string",
                  "enum": [
                    "reference_video"
                  ],
                  "title": "Role"
                }
              },
              "required": [
                "type",
                "video_url",
                "role"
              ],
              "additionalProperties": false,
              "title": "Video"
            },
            {
              "type": "object",
              "properties": {
                "type": {
                  "type": "string",
                  "const": "audio_url"
                },
                "audio_url": {
                  "type": "object",
                  "properties": {
                    "url": {
                      "type": "string",
                      "title": "Sound",
                      "media": {
                        "kind": "audio",
                        "forms": [
                          "url",
                          "data-url"
                        ],
                        "formats": [
                          "audio/wav",
                          "audio/mpeg"
                        ],
                        "maxBytes": 15728640,
                        "seconds": {
                          "min": 2,
                          "max": 15
                        }
                      }
                    }
                  },
                  "required": [
                    "url"
                  ],
                  "additionalProperties": false,
                  "title": "Sound"
                },
                "role": {
                  "type": "string",
                  "enum": [
                    "reference_audio"
                  ],
                  "title": "Role"
                }
              },
              "required": [
                "type",
                "audio_url",
                "role"
              ],
              "additionalProperties": false,
              "title": "Sound"
            }
          ]
        },
        "title": "Content",
        "description": "Texts and, beside them or alone, either the first frame, the first and the last frame, or references: up to 9 pictures, 3 videos and 3 sounds.",
        "minItems": 1,
        "maxItems": 65
      },
      "generate_audio": alphaProperties.generate_audio,
      "resolution": {
        "type": [
          "string",
          "null"
        ],
        "default": "720p",
        "enum": [
          "480p",
          "720p",
          null
        ],
        "title": "Resolution"
      },
      "ratio": alphaProperties.ratio,
      "watermark": alphaProperties.watermark,
      "duration": {
        "default": 5,
        "anyOf": [
          {
            "type": "integer",
            "minimum": 4,
            "maximum": 15
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
      }
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
      "says": "at most 50 texts are allowed",
      "fields": [
        "content"
      ]
    },
    {
      "says": "first and last frames cannot be mixed with references; a reference picture must have the role reference_image",
      "fields": [
        "content"
      ]
    },
    {
      "says": "a sound requires at least one reference picture or video",
      "fields": [
        "content"
      ]
    },
    {
      "says": "at most 9 reference pictures are allowed",
      "fields": [
        "content"
      ]
    },
    {
      "says": "at most 3 videos are allowed",
      "fields": [
        "content"
      ]
    },
    {
      "says": "at most 3 sounds are allowed",
      "fields": [
        "content"
      ]
    },
    {
      "says": "the videos must be at most 15 s together",
      "fields": [
        "content"
      ]
    },
    {
      "says": "the sounds must be at most 15 s together",
      "fields": [
        "content"
      ]
    }
  ],
  "examples": [
    {
      "content": [
        {
          "type": "text",
          "text": "A paper boat sails along a gutter in the rain"
        }
      ],
      "resolution": "480p",
      "duration": 4
    },
    {
      "content": [
        {
          "type": "text",
          "text": "The leaves turn from green to gold"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": "https://files.test/summer.png"
          },
          "role": "first_frame"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": "https://files.test/autumn.png"
          },
          "role": "last_frame"
        }
      ],
      "generate_audio": false,
      "watermark": true
    },
    {
      "content": [
        {
          "type": "text",
          "text": "The dancer moves to the song on a rooftop at night"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": "https://files.test/dancer.png"
          },
          "role": "reference_image"
        },
        {
          "type": "video_url",
          "video_url": {
            "url": "https://files.test/clip.mp4"
          },
          "role": "reference_video"
        },
        {
          "type": "audio_url",
          "audio_url": {
            "url": "https://files.test/song.mp3"
          },
          "role": "reference_audio"
        }
      ],
      "ratio": "9:16",
      "duration": -1
    }
  ]
};
