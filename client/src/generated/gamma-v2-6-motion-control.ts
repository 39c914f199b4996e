// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type GammaFields, gammaProperties } from './gamma.ts';

/**
 * Motion control. Moves the character of an image as the one in a reference video moves, for as long as that
 * video.
 * - video_url: the video must be at most 10 s long when character_orientation is image
 */
export interface GammaV26MotionControlInput extends Pick<GammaFields, 'watermark_info' | 'callback_url' | 'external_task_id'> {
  /**
   * Character. A character that is clearly visible, not covered and not in an extreme pose.
   * A web address, base64 without a prefix or the id of an uploaded file: jpeg, png; at most 10 MB; sides 300
   * to 65536 px; width by height 0.4 to 2.5.
   */
  readonly image_url: string;
  /**
   * Motion. One continuous shot, its character always in the frame. Of several people the largest counts.
   * A web address or the id of an uploaded file: mp4, quicktime; at most 100 MB; sides 340 to 3850 px; length
   * 3 to 30 s.
   */
  readonly video_url: string;
  /**
   * Orientation of. Whose orientation the character takes. image: at most 10 s of motion; video: at most 30
   * s.
   */
  readonly character_orientation: 'image' | 'video';
  /**
   * Subject. One of the subject library; then only the orientation in the video counts.
   * At most 1 item.
   */
  readonly element_list?: readonly ({
    /**
     * Element id.
     * At least 0.
     */
    readonly element_id: number | bigint;
  })[] | null;
  /** Quality. std is economical, pro is better. */
  readonly mode: 'std' | 'pro';
  /**
   * Prompt. What shows beside the motion, and what must not.
   * At most 2500 characters.
   */
  readonly prompt?: string | null;
  /**
   * Keep its sound. Whether the sound of the reference video stays.
   * @default 'yes'
   */
  readonly keep_original_sound?: 'yes' | 'no' | null;
}

export const gammaV26MotionControl: ModelDescription = {
  "id": "gamma-v2-6-motion-control",
  "object": "model",
  "owned_by": "atelier",
  "kind": "video",
  "family": "gamma",
  "title": "Motion control",
  "summary": "Moves the character of an image as the one in a reference video moves, for as long as that video.",
  "accepts_callback": true,
  "limits": {
    "max_body_bytes": 67108864
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "image_url": {
        "type": "string",
        "title": "Character",
        "description": "A character that is clearly visible, not covered and not in an extreme pose.",
        "media": {
          "kind": "image",
          "forms": [
            "url",
            "raw-base64"
          ],
          "formats": [
            "image/jpeg",
            "image/png"
          ],
          "maxBytes": 10485760,
          "sides": {
            "min": 300,
            "max": 65536
          },
          "ratio": {
            "min": 0.4,
            "max": 2.5
          }
        }
      },
      "video_url": {
        "type": "string",
        "title": "Motion",
        "description": "One continuous shot, its character always in the frame. Of several people the largest counts.",
        "media": {
          "kind": "video",
          "forms": [
            "url"
          ],
          "formats": [
            "video/mp4",
            "video/quicktime"
          ],
          "maxBytes": 104857600,
          "sides": {
            "min": 340,
            "max": 3850
          },
          "seconds": {
            "min": 3,
            "max": 30
          }
        }
      },
      "character_orientation": {
        "type": "string",
        "enum": [
          "image",
          "video"
        ],
        "title": "Orientation of",
        "description": "Whose orientation the character takes. image: at most 10 s of motion; video: at most 30 s."
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
        "title": "Subject",
        "description": "One of the subject library; then only the orientation in the video counts.",
        "maxItems": 1
      },
      "mode": {
        "type": "string",
        "enum": [
          "std",
          "pro"
        ],
        "title": "Quality",
        "description": "std is economical, pro is better."
      },
      "prompt": {
        "type": [
          "string",
          "null"
        ],
        "title": "Prompt",
        "description": "What shows beside the motion, and what must not.",
        "widget": "textarea",
        "maxLength": 2500
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
      },
      "watermark_info": gammaProperties.watermark_info,
      "callback_url": gammaProperties.callback_url,
      "external_task_id": gammaProperties.external_task_id
    },
    "required": [
      "image_url",
      "video_url",
      "character_orientation",
      "mode"
    ],
    "additionalProperties": false
  },
  "rules": [
    {
      "says": "the video must be at most 10 s long when character_orientation is image",
      "fields": [
        "video_url"
      ]
    }
  ],
  "examples": [
    {
      "image_url": "https://files.test/dancer.png",
      "video_url": "https://files.test/dance.mp4",
      "character_orientation": "video",
      "mode": "std"
    },
    {
      "image_url": "https://files.test/knight.jpg",
      "video_url": "https://files.test/bow.mov",
      "character_orientation": "image",
      "mode": "pro",
      "prompt": "A knight bows in a great hall, no other people",
      "keep_original_sound": "no",
      "watermark_info": {
        "enabled": true
      }
    },
    {
      "image_url": "https://files.test/robot.png",
      "video_url": "https://files.test/walk.mp4",
      "character_orientation": "video",
      "element_list": [
        {
          "element_id": 160001
        }
      ],
      "mode": "pro"
    }
  ]
};
