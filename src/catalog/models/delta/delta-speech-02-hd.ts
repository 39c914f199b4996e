/** delta-speech-02-hd: speech of high fidelity (Contract 2.15). */

import { defineDeltaSpeech } from './delta-speech-shared.ts';

export default defineDeltaSpeech({
  id: 'delta-speech-02-hd',
  title: 'Speech, high fidelity',
  summary: 'Speaks up to 9999 characters in one voice or a mix of four, with pauses, effects and subtitles.',
});
