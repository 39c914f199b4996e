// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { ModelDescription } from '../bodies.ts';

/**
 * Speech in thirty voices. Speaks a text in one of thirty preset voices; the style can be asked for in the
 * text.
 */
export interface Theta31FlashTtsPreviewInput {
  /**
   * Text. What is said. A style may stand before it, as in `Say cheerfully: have a good day`.
   * Must not be empty.
   */
  readonly text: string;
  /**
   * Voice.
   * @default 'Kore'
   */
  readonly voice_name?: 'Zephyr' | 'Puck' | 'Charon' | 'Kore' | 'Fenrir' | 'Leda' | 'Orus' | 'Aoede' | 'Callirrhoe' | 'Autonoe' | 'Enceladus' | 'Iapetus' | 'Umbriel' | 'Algieba' | 'Despina' | 'Erinome' | 'Algenib' | 'Rasalgethi' | 'Laomedeia' | 'Achernar' | 'Alnilam' | 'Schedar' | 'Gacrux' | 'Pulcherrima' | 'Achird' | 'Zubenelgenubi' | 'Vindemiatrix' | 'Sadachbia' | 'Sadaltager' | 'Sulafat' | null;
}

export const theta31FlashTtsPreview: ModelDescription = {
  "id": "theta-3.1-flash-tts-preview",
  "object": "model",
  "owned_by": "atelier",
  "kind": "speech",
  "family": "theta",
  "title": "Speech in thirty voices",
  "summary": "Speaks a text in one of thirty preset voices; the style can be asked for in the text.",
  "accepts_callback": false,
  "limits": {
    "max_body_bytes": 67108864
  },
  "input_schema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "text": {
        "type": "string",
        "title": "Text",
        "description": "What is said. A style may stand before it, as in `Say cheerfully: have a good day`.",
        "widget": "textarea",
        "minLength": 1
      },
      "voice_name": {
        "type": [
          "string",
          "null"
        ],
        "default": "Kore",
        "enum": [
          "Zephyr",
          "Puck",
          "Charon",
          "Kore",
          "Fenrir",
          "Leda",
          "Orus",
          "Aoede",
          "Callirrhoe",
          "Autonoe",
          "Enceladus",
          "Iapetus",
          "Umbriel",
          "Algieba",
          "Despina",
          "Erinome",
          "Algenib",
          "Rasalgethi",
          "Laomedeia",
          "Achernar",
          "Alnilam",
          "Schedar",
          "Gacrux",
          "Pulcherrima",
          "Achird",
          "Zubenelgenubi",
          "Vindemiatrix",
          "Sadachbia",
          "Sadaltager",
          "Sulafat",
          null
        ],
        "title": "Voice",
        "widget": "voice"
      }
    },
    "required": [
      "text"
    ],
    "additionalProperties": false
  },
  "rules": [],
  "examples": [
    {
      "text": "The tide is out and the boats are resting."
    },
    {
      "text": "Say cheerfully: the parcel has arrived!",
      "voice_name": "Puck"
    },
    {
      "text": "今天天气很好，我们去海边走走。",
      "voice_name": "Leda"
    }
  ]
};
