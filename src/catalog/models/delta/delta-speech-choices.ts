/** Languages, emotions and effects of the delta family. */

/** Contract 2.15, language_boost. */
export const languages = [
  ...([
    'Chinese',
    'Chinese,Yue',
    'English',
    'Arabic',
    'Russian',
    'Spanish',
    'French',
    'Portuguese',
    'German',
  ] as const),
  ...([
    'Turkish',
    'Dutch',
    'Ukrainian',
    'Vietnamese',
    'Indonesian',
    'Japanese',
    'Italian',
    'Korean',
    'Thai',
  ] as const),
  ...([
    'Polish',
    'Romanian',
    'Greek',
    'Czech',
    'Finnish',
    'Hindi',
    'Bulgarian',
    'Danish',
    'Hebrew',
    'Malay',
  ] as const),
  ...([
    'Persian',
    'Slovak',
    'Swedish',
    'Croatian',
    'Filipino',
    'Hungarian',
    'Norwegian',
    'Slovenian',
  ] as const),
  // `auto` is no language: like null, it leaves the choice to the engine.
  ...(['Catalan', 'Nynorsk', 'Tamil', 'Afrikaans', 'auto'] as const),
] as const;

/** Contract 2.15, voice_setting.emotion. */
export const emotions = ['happy', 'sad', 'angry', 'fearful', 'disgusted', 'surprised', 'calm'] as const;
/** Contract 2.15, voice_modify.sound_effects. */
export const effects = ['spacious_echo', 'auditorium_echo', 'lofi_telephone', 'robotic'] as const;
