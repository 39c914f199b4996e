/** A field for a picture, a video or a sound: upload, earlier result, or address. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useId, useRef, useState } from 'react';
import type { FileLine } from '../api/answers.ts';
import { callApi, fileAddress } from '../api/call-api.ts';
import type { MediaLimits } from '../api/input-schema.ts';
import { formatBytes } from '../components/format.ts';
import { Film, Sound } from '../components/players.tsx';
import { useLatest } from '../components/use-latest.ts';
import { useFault } from './faults.ts';
import { described, FieldFrame, type FieldProps } from './field-frame.tsx';
import { FilePicker } from './file-picker.tsx';
import { titleOf } from './input-value.ts';
import { describeLimits, uploadFault } from './media-limits.ts';
import { SampleChips } from './sample-chips.tsx';
import { samplesFor } from './samples.ts';

/** Nouns for the sentences of the field. */
const wordsOfKind = { image: 'a picture', video: 'a video', audio: 'a sound' } as const;

/** The value is an address or a file id; a dropped or chosen file is uploaded first. */
export function MediaField(props: FieldProps) {
  const id = useId();
  const { schema, path, value, change } = props;
  const media = schema.media;
  const fault = useFault(path);
  const upload = useUpload(media, change);
  const [isOver, setOver] = useState(false);
  const [isPicking, setPicking] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  if (!media) return null;
  // A draft may have anything in the place of an address.
  const text = typeof value === 'string' ? value : '';

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file) upload.begin(file);
  }

  return (
    <FieldFrame field={props} id={id}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what can be dropped can be chosen by a button, too. */}
      <div
        className="slot"
        data-over={isOver}
        onDragOver={event => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {text === '' ? (
          <EmptySlot media={media} isBusy={upload.isBusy} />
        ) : (
          <Preview value={text} kind={media.kind} clear={() => change(undefined)} />
        )}
        {text === '' && <SampleChips names={samplesFor(media, path)} change={change} />}
        <div className="row wrap">
          <button
            type="button"
            className="button slim"
            disabled={upload.isBusy}
            onClick={() => chooser.current?.click()}
          >
            Choose a file
          </button>
          <button type="button" className="button slim" onClick={() => setPicking(true)}>
            From earlier results
          </button>
          <input
            {...described(id, props, fault)}
            className="input grow address"
            value={text}
            placeholder="or an address: https://…, file_…"
            onChange={event => change(event.target.value === '' ? undefined : event.target.value.trim())}
          />
        </div>
        <input
          ref={chooser}
          type="file"
          hidden
          aria-label={`A file for ${titleOf(schema, String(path.at(-1)))}`}
          accept={media.formats.join(',')}
          onChange={event => {
            const file = event.target.files?.[0];
            if (file) upload.begin(file);
            // So that choosing the same file again is a change.
            event.target.value = '';
          }}
        />
        {upload.fault !== null && <p className="fault">{upload.fault}</p>}
      </div>
      {isPicking && <FilePicker media={media} close={() => setPicking(false)} pick={change} />}
    </FieldFrame>
  );
}

/** What may be dropped here. */
const EmptySlot = ({ media, isBusy }: { readonly media: MediaLimits; readonly isBusy: boolean }) => (
  <p className="slot-words">
    {isBusy ? 'Uploading …' : `Drop ${wordsOfKind[media.kind]} here`}
    <span className="small soft">{describeLimits(media)}</span>
  </p>
);

/** Checks a file against the limits, uploads it, and sets the field to its id. */
function useUpload(media: MediaLimits | undefined, change: (next: unknown) => void) {
  const queries = useQueryClient();
  const latest = useLatest(change);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  async function begin(file: File) {
    const why = media ? uploadFault(file, media) : null;
    setFault(why);
    if (why !== null) return;
    setBusy(true);
    try {
      const form = new FormData();
      form.set('file', file);
      const kept = await callApi<FileLine>('POST', 'files', { body: form });
      // The preview of the new value needs no further request.
      queries.setQueryData(['file', kept.id], kept);
      latest.current(kept.id);
    } catch (failure) {
      setFault(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, fault, begin: (file: File) => void begin(file) };
}

/** A player for files of the gateway. A foreign address is shown as text: the page requests nothing from other hosts. */
function Preview({
  value,
  kind,
  clear,
}: {
  readonly value: string;
  readonly kind: MediaLimits['kind'];
  readonly clear: () => void;
}) {
  // The form of a file id; anything else is an address or data.
  const isFile = /^file_[0-9A-Za-z]{24}$/.test(value);
  const { data: file } = useQuery({
    queryKey: ['file', value],
    queryFn: ({ signal }) => callApi<FileLine>('GET', `files/${value}`, { signal }),
    enabled: isFile,
    // Signed addresses are valid for an hour (Contract 8).
    staleTime: 30 * 60_000,
  });
  const words = file
    ? [
        file.filename,
        file.dimensions && `${file.dimensions.width} × ${file.dimensions.height}`,
        formatBytes(file.bytes),
      ]
    : [isFile ? 'A file of the console' : value.startsWith('data:') ? 'Data in the input itself' : value];
  return (
    <div className="slot-full">
      {file && kind === 'image' && <img src={fileAddress(file.url)} alt={file.filename} />}
      {file && kind === 'video' && <Film address={fileAddress(file.url)} name={file.filename} isMuted />}
      {file && kind === 'audio' && <Sound address={fileAddress(file.url)} name={file.filename} />}
      <div className="row">
        <span className="grow cut small">{words.filter(Boolean).join(' · ')}</span>
        <button type="button" className="button slim" onClick={clear}>
          Remove
        </button>
      </div>
    </div>
  );
}
