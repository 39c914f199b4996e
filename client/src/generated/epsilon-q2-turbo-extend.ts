// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';

/**
 * Extend a video. Goes on from the last frame of a video by one to seven seconds.
 * - video_creation_id: exactly one of video_creation_id and video_url is required
 */
export interface EpsilonQ2TurboExtendInput {
  /**
   * Earlier video. The id of a creation of an earlier job, of the upstream too where it makes the model.
   * Either this or an address.
   * Must not be empty.
   */
  readonly video_creation_id?: string | null;
  /**
   * Video. Any video of 4 to 60 seconds.
   * A web address or the id of an uploaded file: mp4, quicktime, webm, 3gpp; length 4 to 60 s.
   */
  readonly video_url?: string | null;
  /**
   * End frame. At most one image, with which the extension ends.
   * At most 1 item.
   */
  readonly images?: readonly string[] | null;
  /** Prompt. Guides what is added. */
  readonly prompt?: string | null;
  /**
   * Resolution.
   * @default '720p'
   */
  readonly resolution?: '540p' | '720p' | '1080p' | null;
  /**
   * Extension.
   * 1 to 7 s.
   * @default 5
   */
  readonly duration?: number | null;
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
   * Position of the mark.
   * @default 'bottom_left'
   */
  readonly wm_position?: 'top_left' | 'top_right' | 'bottom_right' | 'bottom_left' | null;
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

export const epsilonQ2TurboExtend: ModelDescription = {
  "id": "epsilon-q2-turbo-extend",
  "object": "model",
  "owned_by": "atelier",
  "kind": "video",
  "family": "epsilon",
  "title": "Extend a video",
  "summary": "Goes on from the last frame of a video by one to seven seconds.",
  "accepts_callback": true,
  "limits": {
    "max_body_bytes": 20971520
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "video_creation_id": {
        "type": [
          "string",
          "null"
        ],
        "title": "Earlier video",
        "description": "The id of a creation of an earlier job, of the upstream too where it makes the model. Either this or an address.",
        "minLength": 1
      },
      "video_url": {
        "type": [
          "string",
          "null"
        ],
        "title": "Video",
        "description": "Any video of 4 to 60 seconds.",
        "media": {
          "kind": "video",
          "forms": [
            "url"
          ],
          "formats": [
            "video/mp4",
            "video/quicktime",
            "video/webm",
            "video/3gpp"
          ],
          "otherFormats": true,
          "seconds": {
            "min": 4,
            "max": 60
          }
        }
      },
      "images": {
        "type": [
          "array",
          "null"
        ],
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
        "title": "End frame",
        "description": "At most one image, with which the extension ends.",
        "maxItems": 1
      },
      "prompt": {
        "type": [
          "string",
          "null"
        ],
        "title": "Prompt",
        "description": "Guides what is added.",
        "widget": "textarea"
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
      "duration": {
        "type": [
          "integer",
          "null"
        ],
        "default": 5,
        "minimum": 1,
        "maximum": 7,
        "title": "Extension",
        "unit": "s",
        "widget": "slider"
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
          "string",
          "null"
        ],
        "default": "bottom_left",
        "enum": [
          "top_left",
          "top_right",
          "bottom_right",
          "bottom_left",
          null
        ],
        "title": "Position of the mark",
        "group": "Watermark"
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
    "additionalProperties": false
  },
  "rules": [
    {
      "says": "exactly one of video_creation_id and video_url is required",
      "fields": [
        "video_creation_id",
        "video_url"
      ]
    }
  ],
  "examples": [
    {
      "video_url": "https://files.test/surf.mp4",
      "resolution": "540p",
      "duration": 1
    },
    {
      "video_url": "https://files.test/train.mov",
      "images": [
        "https://files.test/station.png"
      ],
      "prompt": "The train slows down and stops at the station",
      "resolution": "1080p",
      "duration": 7
    },
    {
      "video_creation_id": "file_0123456789abcdefghijABCD",
      "prompt": "The camera rises above the trees",
      "duration": 3,
      "watermark": true,
      "wm_position": "top_right",
      "meta_data": "{\"Label\":\"1\",\"ContentProducer\":\"studio\"}",
      "payload": "scene-12"
    }
  ]
};
