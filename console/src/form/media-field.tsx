import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useId, useRef, useState } from 'react';
import type { FileLine, MediaLimits } from '../api/answers.ts';
import { callApi, fileAddress } from '../api/call-api.ts';
import { formatBytes } from '../components/format.ts';
import { Film, Sound } from '../components/players.tsx';
import { useLatest } from '../components/use-latest.ts';
import { useFault } from './faults.ts';
import { described, FieldFrame, type FieldProps } from './field-frame.tsx';
import { FilePicker } from './file-picker.tsx';
import { titleOf } from './input-value.ts';
import { describeLimits, uploadFault } from './media-limits.ts';

const wordsOfKind = { image: 'a picture', video: 'a video', audio: 'a sound' } as const;

/** A slot for a picture, a video or a sound: dropped, chosen, taken from earlier results, or named by its address. */
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
  const text = typeof value === 'string' ? value : '';

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file) upload.begin(file);
  }

  return (
    <FieldFrame field={props} id={id}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping has its buttons beside it. */}
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
          <p className="slot-words">
            {upload.isBusy ? 'Uploading …' : `Drop ${wordsOfKind[media.kind]} here`}
            <span className="small soft">{describeLimits(media)}</span>
          </p>
        ) : (
          <Preview value={text} kind={media.kind} clear={() => change(undefined)} />
        )}
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
            event.target.value = '';
          }}
        />
        {upload.fault !== null && <p className="fault">{upload.fault}</p>}
      </div>
      {isPicking && <FilePicker kind={media.kind} close={() => setPicking(false)} pick={change} />}
    </FieldFrame>
  );
}

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

/** What is in the slot; of a foreign address only its words: this page asks no other host for anything. */
function Preview({
  value,
  kind,
  clear,
}: {
  readonly value: string;
  readonly kind: MediaLimits['kind'];
  readonly clear: () => void;
}) {
  const isFile = /^file_[0-9A-Za-z]{24}$/.test(value);
  const { data: file } = useQuery({
    queryKey: ['file', value],
    queryFn: ({ signal }) => callApi<FileLine>('GET', `files/${value}`, { signal }),
    enabled: isFile,
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
