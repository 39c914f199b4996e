/** The voice of a speech model: typed or chosen, with a word of each that is known to hear. */
import { useId, useRef, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { voiceAddress } from '../components/example-media.ts';
import { Icon } from '../components/icon.tsx';
import { ChoiceField } from './choice-fields.tsx';
import type { FieldProps } from './field-frame.tsx';
import { simple } from './input-value.ts';
import { TextField } from './text-fields.tsx';

/** The field of its type, and a list of the known voices. */
export function VoiceField(props: FieldProps) {
  const [isOpen, setOpen] = useState(false);
  const schema = simple(props.schema);
  // A model with fixed voices has a choice; one with voices of the client's own a text with suggestions.
  const voices = (schema.enum ?? schema.examples ?? []).map(String);
  const Base = schema.enum ? ChoiceField : TextField;
  return (
    <div className="stack tight">
      <Base {...props} />
      {voices.length > 0 && (
        <p>
          <button type="button" className="button slim" onClick={() => setOpen(true)}>
            Hear the voices
          </button>
        </p>
      )}
      {isOpen && (
        <VoiceList
          voices={voices}
          chosen={props.value}
          close={() => setOpen(false)}
          choose={voice => {
            props.change(voice);
            setOpen(false);
          }}
        />
      )}
    </div>
  );
}

/** Every known voice, with a button that plays it and one that chooses it. */
function VoiceList({
  voices,
  chosen,
  close,
  choose,
}: {
  readonly voices: readonly string[];
  readonly chosen: unknown;
  readonly close: () => void;
  readonly choose: (voice: string) => void;
}) {
  const id = useId();
  const player = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState<string | null>(null);
  function play(voice: string) {
    const address = voiceAddress(voice);
    if (!player.current || address === undefined) return;
    player.current.src = address;
    setPlaying(voice);
    // The browser refuses where it plays no sound at all; the list stays usable.
    player.current.play().catch(() => setPlaying(null));
  }
  return (
    <Dialog title="Voices" isOpen close={close} isWide>
      <p className="small soft">
        Spoken by the local engine. At an upstream a voice of the same name has a sound of its own.
      </p>
      {/* biome-ignore lint/a11y/useMediaCaption: the words of every sample are the same, and stand here. */}
      <audio ref={player} onEnded={() => setPlaying(null)} aria-label="Hello, this is my voice." />
      <ul className="voices">
        {voices.map((voice, index) => (
          <li key={voice} className="voice" data-chosen={voice === chosen}>
            {voiceAddress(voice) !== undefined && (
              <button
                type="button"
                className="button slim"
                aria-label={`Play ${voice}`}
                data-playing={playing === voice}
                onClick={() => play(voice)}
              >
                <Icon name={playing === voice ? 'stop' : 'play'} />
              </button>
            )}
            <span className="grow cut" id={`${id}-${index}`}>
              {voice.replaceAll('_', ' ')}
            </span>
            <button
              type="button"
              className="button slim"
              aria-pressed={voice === chosen}
              aria-describedby={`${id}-${index}`}
              onClick={() => choose(voice)}
            >
              {voice === chosen ? 'Chosen' : 'Choose'}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
