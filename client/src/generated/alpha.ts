// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { JsonSchema } from '../bodies.ts';

/** Fields that two or more models of the alpha family have in common. */
export interface AlphaFields {
  /**
   * Sound. Speech, effects and music that fit the picture, in one channel; a silent video without.
   * @default true
   */
  readonly generate_audio?: boolean | null;
  /**
   * Aspect ratio. adaptive: of the first frame, else of the first video or picture, else by the text.
   * @default 'adaptive'
   */
  readonly ratio?: '16:9' | '4:3' | '1:1' | '3:4' | '9:16' | '21:9' | 'adaptive' | null;
  /**
   * Watermark. A mark in the lower right corner.
   * @default false
   */
  readonly watermark?: boolean | null;
}

/** Their JSON Schemas. */
export const alphaProperties: Readonly<Record<'generate_audio' | 'ratio' | 'watermark', JsonSchema>> = {
  "generate_audio": {
    "type": [
      "boolean",
      "null"
    ],
    "default": true,
    "title": "Sound",
    "description": "Speech, effects and music that fit the picture, in one channel; a silent video without.",
    "group": "Sound"
  },
  "ratio": {
    "type": [
      "string",
      "null"
    ],
    "default": "adaptive",
    "enum": [
      "16:9",
      "4:3",
      "1:1",
      "3:4",
      "9:16",
      "21:9",
      "adaptive",
      null
    ],
    "title": "Aspect ratio",
    "description": "adaptive: of the first frame, else of the first video or picture, else by the text."
  },
  "watermark": {
    "type": [
      "boolean",
      "null"
    ],
    "default": false,
    "title": "Watermark",
    "description": "A mark in the lower right corner.",
    "group": "Delivery"
  }
};
