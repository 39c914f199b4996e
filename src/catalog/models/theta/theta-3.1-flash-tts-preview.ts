/** theta-3.1-flash-tts-preview: speech in preset voices (Contract 2.16). */

import { z } from 'zod';
import { choice, countCharacters, requiredText } from '../../fields.ts';
import { defineModel } from '../../model.ts';
import { primaryOutputs } from '../../outputs.ts';

/** Contract 2.16. */
const voices = [
  ...['Zephyr', 'Puck', 'Charon', 'Kore', 'Fenrir', 'Leda', 'Orus', 'Aoede', 'Callirrhoe', 'Autonoe'],
  ...[
    'Enceladus',
    'Iapetus',
    'Umbriel',
    'Algieba',
    'Despina',
    'Erinome',
    'Algenib',
    'Rasalgethi',
    'Laomedeia',
    'Achernar',
  ],
  ...[
    'Alnilam',
    'Schedar',
    'Gacrux',
    'Pulcherrima',
    'Achird',
    'Zubenelgenubi',
    'Vindemiatrix',
    'Sadachbia',
    'Sadaltager',
    'Sulafat',
  ],
];

/** An estimate, and said to be one in the docs: no tokenizer of the family is public. */
const charactersPerToken = 4;
/** Sound is counted by its length, in seconds of the delivered file. */
const tokensPerSecondOfAudio = 25;

export default defineModel({
  id: 'theta-3.1-flash-tts-preview',
  kind: 'speech',
  family: 'theta',
  title: 'Speech in thirty voices',
  summary: 'Speaks a text in one of thirty preset voices; the style can be asked for in the text.',
  input: z.strictObject({
    // Contract 2.16 gives no bound; that of the body is 64 MB.
    text: requiredText(null, {
      title: 'Text',
      description: 'What is said. A style may stand before it, as in `Say cheerfully: have a good day`.',
      widget: 'textarea',
      means: ['words', 'speed', 'volume', 'emotion'],
    }),
    // Contract 2.16: thirty names, Kore by default, with their capitals.
    voice_name: choice(voices, { title: 'Voice', widget: 'voice', means: ['voice'] }).default('Kore'),
  }),
  render: ({ text, voice_name }) => {
    const { words, emotion, speed, volume } = readStyle(text);
    return {
      kind: 'speech',
      pieces: [{ text: words }],
      language: null,
      voices: [{ id: voice_name, weight: 1 }],
      speed,
      volume,
      pitchSemitones: 0,
      emotion,
      // Decisions 4: always a 24 kHz 16-bit mono WAV.
      format: 'wav',
      sampleRate: 24_000,
      channels: 1,
      bitrate: 24_000 * 16,
      constantBitrate: false,
      modify: { pitch: 0, intensity: 0, timbre: 0, effect: null },
      pronunciations: [],
      marker: false,
      subtitles: 'none',
    };
  },
  native: ({ state, input, outputs }) => {
    const [sound] = state === 'completed' ? primaryOutputs(outputs) : [];
    // Decisions 4, theta: estimates, by the two figures above.
    const prompt = Math.ceil(countCharacters(input.text) / charactersPerToken);
    const candidates = Math.ceil((sound?.seconds ?? 0) * tokensPerSecondOfAudio);
    return {
      voice_name: input.voice_name,
      ...(sound && {
        usageMetadata: {
          promptTokenCount: prompt,
          candidatesTokenCount: candidates,
          totalTokenCount: prompt + candidates,
        },
      }),
    };
  },
  examples: [
    { text: 'The tide is out and the boats are resting.' },
    { text: 'Say cheerfully: the parcel has arrived!', voice_name: 'Puck' },
    { text: '今天天气很好，我们去海边走走。', voice_name: 'Leda' },
  ],
});

/** The stems by which an emotion of the render plan is found in a request. */
const emotionWords = {
  happy: /happ|cheer|excit|joy/i,
  sad: /\bsad|sorrow|melanchol/i,
  angry: /angr|furious/i,
  fearful: /fear|scared|nervous/i,
  disgusted: /disgust/i,
  surprised: /surpris|amaze/i,
  calm: /calm|gentl|soft|whisper/i,
} as const;
/** Searched in this order; the first one found counts. */
const emotions = ['happy', 'sad', 'angry', 'fearful', 'disgusted', 'surprised', 'calm'] as const;

/** Words of style beside those of emotion; adverbs are recognised by their ending. */
const styleWords =
  /\b(?:slow|fast|quick|loud|quiet|soft|hush|husky|hoarse|breath|shout|yell|whisper|murmur|mutter|sing|robot|monoton|drama|sarcas|ironic|serious|formal|casual|playful|tired|sleep|bored|energ|enthusias|proud|friendl|polite|firm|urgent|mysterio|tender|curious|voice|tone|accent|manner|style|mood|pace|pitch|feeling|emotion)/i;
const adverb =
  /\b(?!(?:only|family|early|daily|weekly|monthly|yearly|italy|july|emily|sally|billy|molly|lily|polly|reply|supply|apply|fly|ugly|holy|bully|jelly|belly|assembly|ally|rally|butterfly)\b)[a-z]{3,}ly\b/i;
/** `In a low voice: …`. The verb is the empty group. */
const withoutVerb =
  /^\s*()(in an? [^:[\n]{0,60}\b(?:voice|tone|whisper|accent|manner|style|mood))\s*:\s*(?=\S)/i;
/**
 * Contract 2.16: the style can be requested in the text. Decisions 9: what stands before a colon is such a request, and
 * is not spoken, where it contains a word of style or nothing but its verb; else it is part of the text.
 */
function readStyle(text: string) {
  // At most 80 characters before the colon, without a line break or a bracket: longer texts are sentences of
  // their own.
  const [request = '', verb = '', style = ''] =
    /^\s*(say|speak|read|whisper)\b([^:[\n]{0,80}):\s*(?=\S)/i.exec(text) ?? withoutVerb.exec(text) ?? [];
  const emotion = emotions.find(word => emotionWords[word].test(style));
  const isRequest =
    emotion !== undefined || styleWords.test(style) || adverb.test(style) || style.trim() === '';
  if (request === '' || !isRequest) return { words: text, emotion: null, speed: 1, volume: 1 } as const;
  const whispered = /whisper/i.test(verb + style);
  return {
    words: text.slice(request.length),
    emotion: emotion ?? (whispered ? 'calm' : null),
    // Factors of the usual pace; the contract has no field for it, only the text.
    speed: /slow/i.test(style) ? 0.8 : /fast|quick/i.test(style) ? 1.25 : 1,
    volume: whispered ? 0.5 : 1,
  } as const;
}
