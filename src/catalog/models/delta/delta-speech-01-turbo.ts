/** delta-speech-01-turbo: fast speech (Contract 2.15). */

import { defineDeltaSpeech } from './delta-speech-shared.ts';

export default defineDeltaSpeech({
  id: 'delta-speech-01-turbo',
  title: 'Speech, fast',
  summary: 'Speaks up to 9999 characters quickly in one voice or a mix of four, with pauses and subtitles.',
});
