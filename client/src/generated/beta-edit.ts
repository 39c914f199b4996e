// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type BetaFields, betaProperties } from './beta.ts';

/**
 * Edit a picture. Places a picture of an earlier job on a canvas and repaints what a mask or the canvas
 * leaves open.
 * - imgPos: the picture must lie on the canvas at least in part
 * - mask: a mask must hold areas or url
 * - mask: a mask cannot hold both areas and url
 * - mask: the points of a mask area must be pairs of x and y
 * - jobId: the earlier picture must be at most 4096 px wide and high
 * - mask.areas: the width and height of a mask area must be those of the earlier picture
 */
export interface BetaEditInput extends BetaFields {
  /**
   * Prompt. What the repainted part shows. May end with parameters such as --no text --seed 7.
   * 1 to 8096 characters.
   */
  readonly remixPrompt: string;
  /** Canvas. The size of the result. */
  readonly canvas: {
    /**
     * Width.
     * 64 to 4096 px.
     */
    readonly width: number;
    /**
     * Height.
     * 64 to 4096 px.
     */
    readonly height: number;
  };
  /** Picture on the canvas. From the top left corner of the canvas. */
  readonly imgPos: {
    /**
     * From the left.
     * -8192 to 8192 px.
     */
    readonly x: number;
    /**
     * From the top.
     * -8192 to 8192 px.
     */
    readonly y: number;
    /**
     * Width.
     * 1 to 8192 px.
     */
    readonly width: number;
    /**
     * Height.
     * 1 to 8192 px.
     */
    readonly height: number;
  };
  /** Mask. What is repainted: areas, or a black and white picture. */
  readonly mask?: {
    /**
     * Areas.
     * 1 to 100 items.
     */
    readonly areas?: readonly ({
      /**
       * Width. Of the earlier picture.
       * 500 to 4096 px.
       */
      readonly width: number;
      /**
       * Height. Of the earlier picture.
       * 500 to 4096 px.
       */
      readonly height: number;
      /**
       * Polygon. x, y, x, y, … from the top left corner of the picture, clockwise; at least 3 points.
       * 6 to 10000 items.
       */
      readonly points: readonly number[];
    })[] | null;
    /**
     * Mask picture. Black and white; what is white is repainted.
     * A web address, a data URL, base64 without a prefix or the id of an uploaded file: png, jpeg, webp, bmp,
     * gif.
     */
    readonly url?: string | null;
  } | null;
}

export const betaEdit: ModelDescription = {
  "id": "beta-edit",
  "object": "model",
  "owned_by": "atelier",
  "kind": "image",
  "family": "beta",
  "title": "Edit a picture",
  "summary": "Places a picture of an earlier job on a canvas and repaints what a mask or the canvas leaves open.",
  "accepts_callback": false,
  "limits": {
    "max_body_bytes": 67108864
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "jobId": betaProperties.jobId,
      "imageNo": betaProperties.imageNo,
      "remixPrompt": {
        "type": "string",
        "title": "Prompt",
        "description": "What the repainted part shows. May end with parameters such as --no text --seed 7.",
        "widget": "parameters",
        "minLength": 1,
        "maxLength": 8096
      },
      "canvas": {
        "type": "object",
        "properties": {
          "width": {
            "type": "integer",
            "minimum": 64,
            "maximum": 4096,
            "title": "Width",
            "unit": "px"
          },
          "height": {
            "type": "integer",
            "minimum": 64,
            "maximum": 4096,
            "title": "Height",
            "unit": "px"
          }
        },
        "required": [
          "width",
          "height"
        ],
        "additionalProperties": false,
        "title": "Canvas",
        "description": "The size of the result.",
        "widget": "canvas"
      },
      "imgPos": {
        "type": "object",
        "properties": {
          "x": {
            "type": "integer",
            "minimum": -8192,
            "maximum": 8192,
            "title": "From the left",
            "unit": "px"
          },
          "y": {
            "type": "integer",
            "minimum": -8192,
            "maximum": 8192,
            "title": "From the top",
            "unit": "px"
          },
          "width": {
            "type": "integer",
            "minimum": 1,
            "maximum": 8192,
            "title": "Width",
            "unit": "px"
          },
          "height": {
            "type": "integer",
            "minimum": 1,
            "maximum": 8192,
            "title": "Height",
            "unit": "px"
          }
        },
        "required": [
          "x",
          "y",
          "width",
          "height"
        ],
        "additionalProperties": false,
        "title": "Picture on the canvas",
        "description": "From the top left corner of the canvas.",
        "widget": "placement"
      },
      "mask": {
        "type": [
          "object",
          "null"
        ],
        "properties": {
          "areas": {
            "type": [
              "array",
              "null"
            ],
            "items": {
              "type": "object",
              "properties": {
                "width": {
                  "type": "integer",
                  "minimum": 500,
                  "maximum": 4096,
                  "title": "Width",
                  "description": "Of the earlier picture.",
                  "unit": "px"
                },
                "height": {
                  "type": "integer",
                  "minimum": 500,
                  "maximum": 4096,
                  "title": "Height",
                  "description": "Of the earlier picture.",
                  "unit": "px"
                },
                "points": {
                  "type": "array",
                  "items": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 4096,
                    "title": "Coordinate",
                    "unit": "px"
                  },
                  "title": "Polygon",
                  "description": "x, y, x, y, … from the top left corner of the picture, clockwise; at least 3 points.",
                  "minItems": 6,
                  "maxItems": 10000
                }
              },
              "required": [
                "width",
                "height",
                "points"
              ],
              "additionalProperties": false,
              "title": "Area"
            },
            "title": "Areas",
            "minItems": 1,
            "maxItems": 100
          },
          "url": {
            "type": [
              "string",
              "null"
            ],
            "title": "Mask picture",
            "description": "Black and white; what is white is repainted.",
            "media": {
              "kind": "image",
              "forms": [
                "url",
                "data-url",
                "raw-base64"
              ],
              "formats": [
                "image/png",
                "image/jpeg",
                "image/webp",
                "image/bmp",
                "image/gif"
              ]
            }
          }
        },
        "additionalProperties": false,
        "title": "Mask",
        "description": "What is repainted: areas, or a black and white picture.",
        "widget": "mask"
      }
    },
    "required": [
      "jobId",
      "imageNo",
      "remixPrompt",
      "canvas",
      "imgPos"
    ],
    "additionalProperties": false
  },
  "rules": [
    {
      "says": "the picture must lie on the canvas at least in part",
      "fields": [
        "imgPos",
        "canvas"
      ]
    },
    {
      "says": "a mask must hold areas or url",
      "fields": [
        "mask"
      ]
    },
    {
      "says": "a mask cannot hold both areas and url",
      "fields": [
        "mask"
      ]
    },
    {
      "says": "the points of a mask area must be pairs of x and y",
      "fields": [
        "mask"
      ]
    },
    {
      "says": "the earlier picture must be at most 4096 px wide and high",
      "fields": [
        "jobId"
      ]
    },
    {
      "says": "the width and height of a mask area must be those of the earlier picture",
      "fields": [
        "mask.areas",
        "jobId"
      ]
    }
  ],
  "examples": [
    {
      "jobId": "019e0000-0000-7000-8000-000000000001",
      "imageNo": 0,
      "remixPrompt": "A red kite in the sky --no clouds",
      "canvas": {
        "width": 1024,
        "height": 1024
      },
      "imgPos": {
        "x": 0,
        "y": 0,
        "width": 1024,
        "height": 1024
      }
    },
    {
      "jobId": "019e0000-0000-7000-8000-000000000001",
      "imageNo": 3,
      "remixPrompt": "A {red, yellow} kite:: birds::0.5 --seed 7 --stylize 250 --v 8.1",
      "canvas": {
        "width": 1024,
        "height": 1024
      },
      "imgPos": {
        "x": 0,
        "y": 0,
        "width": 1024,
        "height": 1024
      },
      "mask": {
        "areas": [
          {
            "width": 1024,
            "height": 1024,
            "points": [
              0,
              0,
              400,
              0,
              400,
              400,
              0,
              400
            ]
          }
        ]
      }
    },
    {
      "jobId": "019e0000-0000-7000-8000-000000000001",
      "imageNo": 1,
      "remixPrompt": "A wide valley around the tower",
      "canvas": {
        "width": 1536,
        "height": 1024
      },
      "imgPos": {
        "x": 256,
        "y": 0,
        "width": 1024,
        "height": 1024
      },
      "mask": {
        "url": "https://files.test/mask.png"
      }
    }
  ]
};
