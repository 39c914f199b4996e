// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';
import { deltaExamples, type DeltaFields, deltaProperties, deltaRules } from './delta.ts';

/**
 * Speech, high fidelity. Speaks up to 9999 characters in one voice or a mix of four, with pauses, effects and
 * subtitles.
 * - voice_setting.voice_id: a voice_id or timbre_weights must be given and not be empty
 * - voice_setting.voice_id: a voice_id must be left empty when timbre_weights is used
 * - voice_modify: voice effects cannot be used with the format pcm
 */
export type DeltaSpeech02HdInput = DeltaFields;

export const deltaSpeech02Hd: ModelDescription = {
  "id": "delta-speech-02-hd",
  "object": "model",
  "owned_by": "atelier",
  "kind": "speech",
  "family": "delta",
  "title": "Speech, high fidelity",
  "summary": "Speaks up to 9999 characters in one voice or a mix of four, with pauses, effects and subtitles.",
  "accepts_callback": false,
  "limits": {
    "max_body_bytes": 67108864
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "text": deltaProperties.text,
      "output_format": deltaProperties.output_format,
      "voice_setting": deltaProperties.voice_setting,
      "timbre_weights": deltaProperties.timbre_weights,
      "audio_setting": deltaProperties.audio_setting,
      "text_normalization": deltaProperties.text_normalization,
      "latex_read": deltaProperties.latex_read,
      "force_cbr": deltaProperties.force_cbr,
      "language_boost": deltaProperties.language_boost,
      "pronunciation_dict": deltaProperties.pronunciation_dict,
      "voice_modify": deltaProperties.voice_modify,
      "subtitle_enable": deltaProperties.subtitle_enable,
      "subtitle_type": deltaProperties.subtitle_type,
      "aigc_watermark": deltaProperties.aigc_watermark
    },
    "required": [
      "text"
    ],
    "additionalProperties": false
  },
  "rules": deltaRules,
  "examples": deltaExamples
};
