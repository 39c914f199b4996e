// Made from the catalog by `npm run generate -w atelier-client`: change the catalog instead.
import type { JsonSchema, ModelDescription } from '../bodies.ts';

/** Fields that two or more models of the delta family have in common. */
export interface DeltaFields {
  /**
   * Text. What is said. A new line is a new paragraph; `<#x#>` between spoken words pauses for x seconds,
   * 0.01 to 99.99 with at most two decimals.
   * 1 to 9999 characters.
   */
  readonly text: string;
  /**
   * Answer with. The address of the sound, or the sound itself as hexadecimal text, which can pass the 64 MB
   * of an answer.
   * @default 'url'
   */
  readonly output_format?: 'url' | 'hex' | null;
  /** Voice. */
  readonly voice_setting?: {
    /** Voice. Required unless timbre_weights is given, and left out beside it. */
    readonly voice_id?: string | null;
    /**
     * Speed.
     * 0.5 to 2.
     * @default 1
     */
    readonly speed?: number | null;
    /**
     * Volume.
     * 0 to 10.
     * @default 1
     */
    readonly vol?: number | null;
    /**
     * Pitch.
     * -12 to 12 semitones.
     * @default 0
     */
    readonly pitch?: number | null;
    /** Emotion. Normally chosen by the model. */
    readonly emotion?: 'happy' | 'sad' | 'angry' | 'fearful' | 'disgusted' | 'surprised' | 'calm' | null;
  } | null;
  /**
   * Timbre mix. Up to four voices and their weights.
   * At most 4 items.
   */
  readonly timbre_weights?: readonly ({
    /**
     * Voice.
     * Must not be empty.
     */
    readonly voice_id: string;
    /**
     * Weight.
     * 1 to 100.
     */
    readonly weight: number;
  })[] | null;
  /** Sound. */
  readonly audio_setting?: {
    /**
     * Sample rate.
     * @default 32000
     */
    readonly sample_rate?: 8000 | 16000 | 22050 | 24000 | 32000 | 44100 | null;
    /**
     * Bitrate. No effect but with mp3.
     * @default 128000
     */
    readonly bitrate?: 32000 | 64000 | 128000 | 256000 | null;
    /**
     * Format.
     * @default 'mp3'
     */
    readonly format?: 'mp3' | 'pcm' | 'flac' | 'wav' | null;
    /**
     * Channels.
     * @default 1
     */
    readonly channel?: 1 | 2 | null;
  } | null;
  /**
   * Normalise the text. Reads numbers and the like in words.
   * @default false
   */
  readonly text_normalization?: boolean | null;
  /**
   * Read formulas. Chinese only, and sets the language to it. Formulas stand in $$, each backslash inside
   * doubled.
   * @default false
   */
  readonly latex_read?: boolean | null;
  /**
   * Constant bitrate. Normally not needed.
   * @default false
   */
  readonly force_cbr?: boolean | null;
  /**
   * Language. Null or auto: by the script of the text.
   * @default null
   */
  readonly language_boost?: 'Chinese' | 'Chinese,Yue' | 'English' | 'Arabic' | 'Russian' | 'Spanish' | 'French' | 'Portuguese' | 'German' | 'Turkish' | 'Dutch' | 'Ukrainian' | 'Vietnamese' | 'Indonesian' | 'Japanese' | 'Italian' | 'Korean' | 'Thai' | 'Polish' | 'Romanian' | 'Greek' | 'Czech' | 'Finnish' | 'Hindi' | 'Bulgarian' | 'Danish' | 'Hebrew' | 'Malay' | 'Persian' | 'Slovak' | 'Swedish' | 'Croatian' | 'Filipino' | 'Hungarian' | 'Norwegian' | 'Slovenian' | 'Catalan' | 'Nynorsk' | 'Tamil' | 'Afrikaans' | 'auto' | null;
  /** Pronunciation. Each source/replacement; Chinese tones are the numbers 1 to 5, 5 being neutral. */
  readonly pronunciation_dict?: {
    /** Replacements. */
    readonly tone?: readonly string[] | null;
  } | null;
  /** Voice effects. With mp3, wav and flac. */
  readonly voice_modify?: {
    /**
     * Depth.
     * -100 to 100.
     */
    readonly pitch?: number | null;
    /**
     * Intensity.
     * -100 to 100.
     */
    readonly intensity?: number | null;
    /**
     * Timbre.
     * -100 to 100.
     */
    readonly timbre?: number | null;
    /** Effect. */
    readonly sound_effects?: 'spacious_echo' | 'auditorium_echo' | 'lofi_telephone' | 'robotic' | null;
  } | null;
  /**
   * Subtitles.
   * @default false
   */
  readonly subtitle_enable?: boolean | null;
  /**
   * Subtitles by.
   * @default 'sentence'
   */
  readonly subtitle_type?: 'sentence' | 'word' | null;
  /**
   * Marker. A rhythm at the end that marks generated speech.
   * @default false
   */
  readonly aigc_watermark?: boolean | null;
}

/** Their JSON Schemas. */
export const deltaProperties: Readonly<Record<'text' | 'output_format' | 'voice_setting' | 'timbre_weights' | 'audio_setting' | 'text_normalization' | 'latex_read' | 'force_cbr' | 'language_boost' | 'pronunciation_dict' | 'voice_modify' | 'subtitle_enable' | 'subtitle_type' | 'aigc_watermark', JsonSchema>> = {
  "text": {
    "type": "string",
    "title": "Text",
    "description": "What is said. A new line is a new paragraph; `<#x#>` between spoken words pauses for x seconds, 0.01 to 99.99 with at most two decimals.",
    "widget": "textarea",
    "minLength": 1,
    "maxLength": 9999
  },
  "output_format": {
    "type": [
      "string",
      "null"
    ],
    "default": "url",
    "enum": [
      "url",
      "hex",
      null
    ],
    "title": "Answer with",
    "description": "The address of the sound, or the sound itself as hexadecimal text, which can pass the 64 MB of an answer.",
    "group": "Delivery"
  },
  "voice_setting": {
    "type": [
      "object",
      "null"
    ],
    "default": {},
    "properties": {
      "voice_id": {
        "type": [
          "string",
          "null"
        ],
        "title": "Voice",
        "description": "Required unless timbre_weights is given, and left out beside it.",
        "widget": "voice",
        "examples": [
          "Wise_Woman",
          "Friendly_Person",
          "Inspirational_girl",
          "Deep_Voice_Man",
          "Calm_Woman",
          "Casual_Guy",
          "Lively_Girl",
          "Patient_Man",
          "Young_Knight",
          "Determined_Man",
          "Lovely_Girl",
          "Decent_Boy",
          "Imposing_Manner",
          "Elegant_Man",
          "Abbess",
          "Sweet_Girl_2",
          "Exuberant_Girl"
        ],
        "requiredUnless": "timbre_weights"
      },
      "speed": {
        "type": [
          "number",
          "null"
        ],
        "default": 1,
        "minimum": 0.5,
        "maximum": 2,
        "title": "Speed",
        "widget": "slider"
      },
      "vol": {
        "type": [
          "number",
          "null"
        ],
        "default": 1,
        "minimum": 0,
        "maximum": 10,
        "title": "Volume",
        "widget": "slider"
      },
      "pitch": {
        "type": [
          "integer",
          "null"
        ],
        "default": 0,
        "minimum": -12,
        "maximum": 12,
        "title": "Pitch",
        "unit": "semitones",
        "widget": "slider"
      },
      "emotion": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "happy",
          "sad",
          "angry",
          "fearful",
          "disgusted",
          "surprised",
          "calm",
          null
        ],
        "title": "Emotion",
        "description": "Normally chosen by the model."
      }
    },
    "additionalProperties": false,
    "title": "Voice"
  },
  "timbre_weights": {
    "type": [
      "array",
      "null"
    ],
    "items": {
      "type": "object",
      "properties": {
        "voice_id": {
          "type": "string",
          "title": "Voice",
          "widget": "voice",
          "examples": [
            "Wise_Woman",
            "Friendly_Person",
            "Inspirational_girl",
            "Deep_Voice_Man",
            "Calm_Woman",
            "Casual_Guy",
            "Lively_Girl",
            "Patient_Man",
            "Young_Knight",
            "Determined_Man",
            "Lovely_Girl",
            "Decent_Boy",
            "Imposing_Manner",
            "Elegant_Man",
            "Abbess",
            "Sweet_Girl_2",
            "Exuberant_Girl"
          ],
          "minLength": 1
        },
        "weight": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100,
          "title": "Weight",
          "widget": "slider"
        }
      },
      "required": [
        "voice_id",
        "weight"
      ],
      "additionalProperties": false,
      "title": "Part of the mix"
    },
    "title": "Timbre mix",
    "description": "Up to four voices and their weights.",
    "maxItems": 4
  },
  "audio_setting": {
    "type": [
      "object",
      "null"
    ],
    "default": {},
    "properties": {
      "sample_rate": {
        "type": [
          "number",
          "null"
        ],
        "default": 32000,
        "enum": [
          8000,
          16000,
          22050,
          24000,
          32000,
          44100,
          null
        ],
        "title": "Sample rate",
        "unit": "Hz"
      },
      "bitrate": {
        "type": [
          "number",
          "null"
        ],
        "default": 128000,
        "enum": [
          32000,
          64000,
          128000,
          256000,
          null
        ],
        "title": "Bitrate",
        "description": "No effect but with mp3.",
        "unit": "bit/s"
      },
      "format": {
        "type": [
          "string",
          "null"
        ],
        "default": "mp3",
        "enum": [
          "mp3",
          "pcm",
          "flac",
          "wav",
          null
        ],
        "title": "Format"
      },
      "channel": {
        "type": [
          "number",
          "null"
        ],
        "default": 1,
        "enum": [
          1,
          2,
          null
        ],
        "title": "Channels"
      }
    },
    "additionalProperties": false,
    "title": "Sound"
  },
  "text_normalization": {
    "type": [
      "boolean",
      "null"
    ],
    "default": false,
    "title": "Normalise the text",
    "description": "Reads numbers and the like in words."
  },
  "latex_read": {
    "type": [
      "boolean",
      "null"
    ],
    "default": false,
    "title": "Read formulas",
    "description": "Chinese only, and sets the language to it. Formulas stand in $$, each backslash inside doubled."
  },
  "force_cbr": {
    "type": [
      "boolean",
      "null"
    ],
    "default": false,
    "title": "Constant bitrate",
    "description": "Normally not needed."
  },
  "language_boost": {
    "default": null,
    "title": "Language",
    "description": "Null or auto: by the script of the text.",
    "anyOf": [
      {
        "type": "string",
        "enum": [
          "Chinese",
          "Chinese,Yue",
          "English",
          "Arabic",
          "Russian",
          "Spanish",
          "French",
          "Portuguese",
          "German",
          "Turkish",
          "Dutch",
          "Ukrainian",
          "Vietnamese",
          "Indonesian",
          "Japanese",
          "Italian",
          "Korean",
          "Thai",
          "Polish",
          "Romanian",
          "Greek",
          "Czech",
          "Finnish",
          "Hindi",
          "Bulgarian",
          "Danish",
          "Hebrew",
          "Malay",
          "Persian",
          "Slovak",
          "Swedish",
          "Croatian",
          "Filipino",
          "Hungarian",
          "Norwegian",
          "Slovenian",
          "Catalan",
          "Nynorsk",
          "Tamil",
          "Afrikaans",
          "auto"
        ],
        "title": "Language"
      },
      {
        "type": "null"
      }
    ]
  },
  "pronunciation_dict": {
    "type": [
      "object",
      "null"
    ],
    "properties": {
      "tone": {
        "type": [
          "array",
          "null"
        ],
        "items": {
          "type": "string",
          "title": "Replacement",
          "pattern": "^[^/]*[^/\\s][^/]*/[^]*\\S[^]*$"
        },
        "title": "Replacements"
      }
    },
    "additionalProperties": false,
    "title": "Pronunciation",
    "description": "Each source/replacement; Chinese tones are the numbers 1 to 5, 5 being neutral."
  },
  "voice_modify": {
    "type": [
      "object",
      "null"
    ],
    "properties": {
      "pitch": {
        "type": [
          "integer",
          "null"
        ],
        "minimum": -100,
        "maximum": 100,
        "title": "Depth",
        "widget": "slider"
      },
      "intensity": {
        "type": [
          "integer",
          "null"
        ],
        "minimum": -100,
        "maximum": 100,
        "title": "Intensity",
        "widget": "slider"
      },
      "timbre": {
        "type": [
          "integer",
          "null"
        ],
        "minimum": -100,
        "maximum": 100,
        "title": "Timbre",
        "widget": "slider"
      },
      "sound_effects": {
        "type": [
          "string",
          "null"
        ],
        "enum": [
          "spacious_echo",
          "auditorium_echo",
          "lofi_telephone",
          "robotic",
          null
        ],
        "title": "Effect"
      }
    },
    "additionalProperties": false,
    "title": "Voice effects",
    "description": "With mp3, wav and flac."
  },
  "subtitle_enable": {
    "type": [
      "boolean",
      "null"
    ],
    "default": false,
    "title": "Subtitles",
    "group": "Delivery"
  },
  "subtitle_type": {
    "type": [
      "string",
      "null"
    ],
    "default": "sentence",
    "enum": [
      "sentence",
      "word",
      null
    ],
    "title": "Subtitles by",
    "group": "Delivery"
  },
  "aigc_watermark": {
    "type": [
      "boolean",
      "null"
    ],
    "default": false,
    "title": "Marker",
    "description": "A rhythm at the end that marks generated speech.",
    "group": "Delivery"
  }
};

/** The rules that the models have in common. */
export const deltaRules: ModelDescription['rules'] = [
  {
    "says": "a voice_id or timbre_weights must be given and not be empty",
    "fields": [
      "voice_setting.voice_id",
      "timbre_weights"
    ]
  },
  {
    "says": "a voice_id must be left empty when timbre_weights is used",
    "fields": [
      "voice_setting.voice_id",
      "timbre_weights"
    ]
  },
  {
    "says": "voice effects cannot be used with the format pcm",
    "fields": [
      "voice_modify",
      "audio_setting.format"
    ]
  }
];

/** The examples that the models have in common. */
export const deltaExamples: ModelDescription['examples'] = [
  {
    "text": "The lighthouse keeper waved.<#0.5#>No one waved back.",
    "voice_setting": {
      "voice_id": "calm-man"
    }
  },
  {
    "text": "今天天气很好。\n我们去海边走走吧！",
    "voice_setting": {
      "speed": 0.9,
      "emotion": "happy"
    },
    "timbre_weights": [
      {
        "voice_id": "young-girl",
        "weight": 70
      },
      {
        "voice_id": "wise-woman",
        "weight": 30
      }
    ],
    "audio_setting": {
      "sample_rate": 44100,
      "bitrate": 256000,
      "format": "mp3",
      "channel": 2
    },
    "language_boost": "Chinese",
    "subtitle_enable": true
  },
  {
    "text": "This is omg speaking over a bad line.",
    "voice_setting": {
      "voice_id": "robot-pilot"
    },
    "audio_setting": {
      "format": "wav"
    },
    "pronunciation_dict": {
      "tone": [
        "omg/oh my god"
      ]
    },
    "voice_modify": {
      "intensity": 20,
      "sound_effects": "lofi_telephone"
    },
    "aigc_watermark": true
  }
];
