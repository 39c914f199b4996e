/** A sound as its waveform, by wavesurfer.js. Loaded when a sound is first shown. */
import { useEffect, useRef, useState } from 'react';
import WaveSurfer from 'wavesurfer.js';
import { formatClock } from './format.ts';
import { useKeptAddress } from './players.tsx';

/** The styles of the waveform carry the nonce of the page: its policy allows no others. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;

/** Play and time work even where the waveform cannot be drawn. */
export default function Wave({ address: latest, name }: { readonly address: string; readonly name: string }) {
  const address = useKeptAddress(latest);
  const place = useRef<HTMLDivElement>(null);
  const player = useRef<WaveSurfer>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [seconds, setSeconds] = useState({ now: 0, all: 0 });

  useEffect(() => {
    if (!place.current) return;
    // A canvas has no style sheet: its colours are read from the theme at the time.
    const style = getComputedStyle(document.documentElement);
    const opened = WaveSurfer.create({
      container: place.current,
      // A signed address of this gateway: the page loads nothing from other hosts.
      url: address,
      height: 72,
      barWidth: 3,
      barGap: 2,
      barRadius: 2,
      waveColor: style.getPropertyValue('--line-strong').trim(),
      progressColor: style.getPropertyValue('--accent-text').trim(),
      cursorColor: 'transparent',
      ...(nonce !== undefined && { cspNonce: nonce }),
    });
    player.current = opened;
    opened.on('play', () => setPlaying(true));
    opened.on('pause', () => setPlaying(false));
    opened.on('ready', all => setSeconds({ now: 0, all }));
    opened.on('timeupdate', now => setSeconds(({ all }) => ({ now, all })));
    // Also stops the sound, when the page is left while it plays.
    return () => opened.destroy();
  }, [address]);

  return (
    <div className="wave">
      <button
        type="button"
        className="button main"
        onClick={() => void player.current?.playPause()}
        aria-label={`${isPlaying ? 'Pause' : 'Play'} ${name}`}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <div ref={place} className="grow" />
      <span className="number small soft" data-seconds={seconds.now}>
        {formatClock(seconds.now * 1_000)} / {formatClock(seconds.all * 1_000)}
      </span>
    </div>
  );
}
