/** A film to be played; what a model made comes without captions. */
export function Film({
  address,
  name,
  isMuted = false,
}: {
  readonly address: string;
  readonly name: string;
  readonly isMuted?: boolean;
}) {
  return <video src={address} controls muted={isMuted} preload="metadata" aria-label={name} playsInline />;
}

/** A film that stands still: its first frame stands for it. */
export function Still({ address, name }: { readonly address: string; readonly name: string }) {
  return <video src={`${address}#t=0.1`} muted preload="metadata" aria-label={name} playsInline />;
}

export function Sound({ address, name }: { readonly address: string; readonly name: string }) {
  // biome-ignore lint/a11y/useMediaCaption: there are none.
  return <audio src={address} controls preload="metadata" aria-label={name} />;
}
