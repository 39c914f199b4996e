/** Players of the browser for videos and sounds. */
import { useState } from 'react';

/** Half of the life of a signed address. */
const keptMs = 12 * 3_600_000;

/** The address with which a file was shown first: each answer of the gateway signs another one, and a player that takes it stops. */
export function useKeptAddress(address: string): string {
  const [kept, keep] = useState({ address, at: Date.now() });
  const isSameFile = address.split('?')[0] === kept.address.split('?')[0];
  if (isSameFile && Date.now() - kept.at < keptMs) return kept.address;
  keep({ address, at: Date.now() });
  return address;
}

/** A video with controls. Generated videos have no captions. */
export function Film({
  address,
  name,
  isMuted = false,
}: {
  readonly address: string;
  readonly name: string;
  /** For previews in a form. */
  readonly isMuted?: boolean;
}) {
  const kept = useKeptAddress(address);
  return <video src={kept} controls muted={isMuted} preload="metadata" aria-label={name} playsInline />;
}

/** Whoever asked the system for less motion starts videos by hand. */
const wantsMotion = (): boolean => !window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/** A video that plays by itself, muted and over again, with controls to stop it and to hear it. */
export function LoopingVideo({
  address,
  name,
  poster,
  isDecoration = false,
}: {
  readonly address: string;
  readonly name: string;
  /** A picture until the video is loaded. */
  readonly poster?: string | undefined;
  /** On a card, which has a name of its own: without controls, and not announced. */
  readonly isDecoration?: boolean;
}) {
  const isAutomatic = wantsMotion();
  const kept = useKeptAddress(address);
  if (isDecoration)
    return isAutomatic ? <video src={kept} autoPlay muted loop playsInline tabIndex={-1} /> : null;
  return (
    <video
      src={kept}
      poster={poster}
      controls
      autoPlay={isAutomatic}
      muted
      loop
      playsInline
      preload="metadata"
      aria-label={name}
    />
  );
}

/** A frame of a video, as its preview: not the first, which is black in films that fade in. */
export function Still({ address, name }: { readonly address: string; readonly name: string }) {
  // A fragment of time: some browsers show no frame before a video is played, unless they have to seek.
  return <video src={`${address}#t=0.6`} muted preload="metadata" aria-label={name} playsInline />;
}

/** A sound with the controls of the browser. */
export function Sound({ address, name }: { readonly address: string; readonly name: string }) {
  const kept = useKeptAddress(address);
  // biome-ignore lint/a11y/useMediaCaption: there are none.
  return <audio src={kept} controls preload="metadata" aria-label={name} />;
}
