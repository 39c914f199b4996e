/** Players of the browser for videos and sounds. */

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
  return <video src={address} controls muted={isMuted} preload="metadata" aria-label={name} playsInline />;
}

/** The first frame of a video, as its preview. */
export function Still({ address, name }: { readonly address: string; readonly name: string }) {
  // A fragment of time: some browsers show no frame before a video is played, unless they have to seek.
  return <video src={`${address}#t=0.1`} muted preload="metadata" aria-label={name} playsInline />;
}

/** A sound with the controls of the browser. */
export function Sound({ address, name }: { readonly address: string; readonly name: string }) {
  // biome-ignore lint/a11y/useMediaCaption: there are none.
  return <audio src={address} controls preload="metadata" aria-label={name} />;
}
