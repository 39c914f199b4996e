// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type BetaFields, betaProperties, betaRules } from './beta.ts';

/**
 * Enlarge a picture. Doubles the sides of a picture of an earlier job, softly or with details of its own.
 * - jobId: the earlier picture must be at most 4096 px wide and high
 */
export interface BetaUpscaleInput extends Pick<BetaFields, 'jobId'> {
  /**
   * Picture. Its number in that job.
   * 0 to 3.
   * @default 0
   */
  readonly imageNo?: number | null;
  /**
   * Way. 0: soft, 1: creative.
   * @default 0
   */
  readonly type?: 0 | 1 | null;
}

export const betaUpscale: ModelDescription = {
  "id": "beta-upscale",
  "object": "model",
  "owned_by": "atelier",
  "kind": "image",
  "family": "beta",
  "title": "Enlarge a picture",
  "summary": "Doubles the sides of a picture of an earlier job, softly or with details of its own.",
  "accepts_callback": false,
  "limits": {
    "max_body_bytes": 67108864
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "jobId": betaProperties.jobId,
      "imageNo": {
        "type": [
          "integer",
          "null"
        ],
        "default": 0,
        "minimum": 0,
        "maximum": 3,
        "title": "Picture",
        "description": "Its number in that job.",
        "widget": "picture-number"
      },
      "type": {
        "type": [
          "number",
          "null"
        ],
        "default": 0,
        "enum": [
          0,
          1,
          null
        ],
        "title": "Way",
        "description": "0: soft, 1: creative."
      }
    },
    "required": [
      "jobId"
    ],
    "additionalProperties": false
  },
  "rules": betaRules,
  "examples": [
    {
      "jobId": "019e0000-0000-7000-8000-000000000001"
    },
    {
      "jobId": "019e0000-0000-7000-8000-000000000001",
      "imageNo": 3,
      "type": 1
    },
    {
      "jobId": "019e0000-0000-7000-8000-000000000001",
      "imageNo": 1,
      "type": 0
    }
  ]
};
