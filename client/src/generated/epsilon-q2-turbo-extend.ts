// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type EpsilonFields, epsilonProperties } from './epsilon.ts';

/**
 * Extend a video. Goes on from the last frame of a video by one to seven seconds.
 * - video_creation_id: exactly one of video_creation_id and video_url is required
 */
export interface EpsilonQ2TurboExtendInput extends Pick<EpsilonFields, 'resolution' | 'watermark' | 'wm_url' | 'meta_data' | 'payload' | 'callback_url'> {
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
   * Extension.
   * 1 to 7 s.
   * @default 5
   */
  readonly duration?: number | null;
  /**
   * Position of the mark.
   * @default 'bottom_left'
   */
  readonly wm_position?: 'top_left' | 'top_right' | 'bottom_right' | 'bottom_left' | null;
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
      "resolution": epsilonProperties.resolution,
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
      "watermark": epsilonProperties.watermark,
      "wm_url": epsilonProperties.wm_url,
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
      "meta_data": epsilonProperties.meta_data,
      "payload": epsilonProperties.payload,
      "callback_url": epsilonProperties.callback_url
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
