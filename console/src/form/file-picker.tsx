/** A dialog that picks an earlier result or upload as an input. */
import { useState } from 'react';
import type { FileLine } from '../api/answers.ts';
import { fileAddress } from '../api/call-api.ts';
import { consoleUser } from '../api/console-user.ts';
import type { MediaLimits } from '../api/input-schema.ts';
import { filesPage } from '../api/queries.ts';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { Empty, Failure, Loading } from '../components/page-states.tsx';
import { Still } from '../components/players.tsx';
import { usePages } from '../components/use-pages.ts';
import { storedFileFault } from './media-limits.ts';

/** What the dialog is for. */
interface PickerProps {
  readonly media: MediaLimits;
  readonly close: () => void;
  /** Receives the file id. */
  readonly pick: (fileId: string) => void;
}

/** The files of one kind that belong to the console, newest first, found by name and paged. */
export function FilePicker({ media, close, pick }: PickerProps) {
  const [words, setWords] = useState('');
  const q = words.trim();
  // Files of other users cannot be used: the job would be refused.
  const filter = { kind: media.kind, user: consoleUser, q };
  const query = usePages(['files', 'pick', filter], (after, signal) => filesPage(filter, after, signal));
  const { lines } = query;
  return (
    <Dialog title="Earlier results and uploads" isOpen close={close} isWide>
      <input
        className="input"
        type="search"
        aria-label="Find by file name"
        placeholder="Find by file name"
        value={words}
        onChange={event => setWords(event.target.value)}
      />
      {query.error && !lines && <Failure failure={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading what="files" />}
      {lines?.length === 0 && (
        <Empty title={q === '' ? 'Nothing of this kind yet' : 'No file has this name'}>
          Results of the playground and uploads stand here.
        </Empty>
      )}
      <div className="tiles">
        {lines?.map(file => (
          <Tile
            key={file.id}
            file={file}
            fault={storedFileFault(file, media)}
            pick={() => {
              pick(file.id);
              close();
            }}
          />
        ))}
      </div>
      <MoreButton query={query} words="Older files" />
    </Dialog>
  );
}

/** A file that the field would refuse cannot be picked, and says why. */
function Tile({
  file,
  fault,
  pick,
}: {
  readonly file: FileLine;
  readonly fault: string | null;
  readonly pick: () => void;
}) {
  return (
    <button type="button" className="tile" disabled={fault !== null} onClick={pick}>
      <Preview file={file} />
      <span className="small cut">{file.filename}</span>
      {fault !== null && <span className="small soft">{fault}</span>}
    </button>
  );
}

/** A picture, the first frame of a video, or the format of a sound. */
function Preview({ file }: { readonly file: FileLine }) {
  if (file.mime_type.startsWith('image/')) return <img src={fileAddress(file.url)} alt="" loading="lazy" />;
  if (file.mime_type.startsWith('video/'))
    return <Still address={fileAddress(file.url)} name={file.filename} />;
  return (
    <span className="tile-words">
      <Icon name="speech" />
      {file.mime_type.split('/')[1]}
    </span>
  );
}
