// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { type BetaFields, betaProperties, betaRules } from './beta.ts';

/**
 * Extend a picture. Continues a picture of an earlier job beyond its four borders.
 * - jobId: the earlier picture must be at most 4096 px wide and high
 */
export interface BetaOutpaintInput extends BetaFields {
  /**
   * Scale. How many times the area of the picture the result has; 2 makes each side 1.41 times as long.
   * 1.1 to 2.
   */
  readonly scale: number;
  /**
   * Prompt. What the new part shows. May be or end with parameters such as --no text --seed 7.
   * 1 to 8192 characters.
   */
  readonly remixPrompt?: string | null;
}

export const betaOutpaint: ModelDescription = {
  "id": "beta-outpaint",
  "object": "model",
  "owned_by": "atelier",
  "kind": "image",
  "family": "beta",
  "title": "Extend a picture",
  "summary": "Continues a picture of an earlier job beyond its four borders.",
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
      "scale": {
        "type": "number",
        "minimum": 1.1,
        "maximum": 2,
        "title": "Scale",
        "description": "How many times the area of the picture the result has; 2 makes each side 1.41 times as long.",
        "widget": "slider"
      },
      "remixPrompt": {
        "type": [
          "string",
          "null"
        ],
        "title": "Prompt",
        "description": "What the new part shows. May be or end with parameters such as --no text --seed 7.",
        "widget": "parameters",
        "minLength": 1,
        "maxLength": 8192
      }
    },
    "required": [
      "jobId",
      "imageNo",
      "scale"
    ],
    "additionalProperties": false
  },
  "rules": betaRules,
  "examples": [
    {
      "jobId": "019e0000-0000-7000-8000-000000000001",
      "imageNo": 0,
      "scale": 1.1
    },
    {
      "jobId": "019e0000-0000-7000-8000-000000000001",
      "imageNo": 2,
      "scale": 2,
      "remixPrompt": "Snowy mountains under a clear sky --no people --seed 7"
    },
    {
      "jobId": "019e0000-0000-7000-8000-000000000001",
      "imageNo": 3,
      "scale": 1.5,
      "remixPrompt": "A {calm, stormy} sea --stylize 250"
    }
  ]
};
