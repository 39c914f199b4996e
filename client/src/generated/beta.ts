// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { JsonSchema, ModelDescription } from '../bodies.ts';

/** Fields that two or more models of the beta family have in common. */
export interface BetaFields {
  /**
   * Earlier job. The request_id of a finished job of yours that gave pictures; where the model is made by an
   * upstream that knows jobs of its own, also the id of one of those.
   * Must not be empty.
   */
  readonly jobId: string;
  /**
   * Picture. Its number in that job.
   * 0 to 3.
   */
  readonly imageNo: number;
}

/** Their JSON Schemas. */
export const betaProperties: Readonly<Record<'jobId' | 'imageNo', JsonSchema>> = {
  "jobId": {
    "type": "string",
    "title": "Earlier job",
    "widget": "job",
    "description": "The request_id of a finished job of yours that gave pictures; where the model is made by an upstream that knows jobs of its own, also the id of one of those.",
    "minLength": 1
  },
  "imageNo": {
    "type": "integer",
    "minimum": 0,
    "maximum": 3,
    "title": "Picture",
    "description": "Its number in that job.",
    "widget": "picture-number"
  }
};

/** The rules that the models have in common. */
export const betaRules: ModelDescription['rules'] = [
  {
    "says": "the earlier picture must be at most 4096 px wide and high",
    "fields": [
      "jobId"
    ]
  }
];
