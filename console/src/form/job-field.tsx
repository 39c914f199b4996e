/** A reference to an earlier job: typed, or picked by its picture. */
import { useId, useState } from 'react';
import type { JobLine, Output } from '../api/answers.ts';
import { fileAddress } from '../api/call-api.ts';
import { consoleKey } from '../api/console-user.ts';
import { jobsPage } from '../api/queries.ts';
import { Dialog } from '../components/dialog.tsx';
import { MoreButton } from '../components/more-button.tsx';
import { Empty, Failure, Loading } from '../components/page-states.tsx';
import { usePages } from '../components/use-pages.ts';
import { useFault } from './faults.ts';
import { described, FieldFrame, type FieldProps } from './field-frame.tsx';
import { withPictureOfJob } from './fill-output.ts';
import { useOtherFields } from './form-context.ts';

/** Larger pictures are not accepted by any model that edits pictures, so they are not offered. */
const maxSide = 4096;
/** Of a picture whose size was not probed. */
const defaultSide = 1024;

/** A request_id. Picking a picture fills the fields that belong to it, too. */
export function JobField(props: FieldProps) {
  const id = useId();
  const { path, value, change } = props;
  const [isPicking, setPicking] = useState(false);
  // The last name of the path is that of this field.
  const take = useTaking(String(path.at(-1)));
  return (
    <FieldFrame field={props} id={id}>
      <div className="row wrap">
        <input
          {...described(id, props, useFault(path))}
          className="input grow mono"
          value={value === undefined ? '' : String(value)}
          placeholder="a request_id"
          onChange={event => change(event.target.value.trim() === '' ? undefined : event.target.value.trim())}
        />
        <button type="button" className="button" onClick={() => setPicking(true)}>
          Choose a picture
        </button>
      </div>
      {isPicking && <PicturePicker close={() => setPicking(false)} take={take} />}
    </FieldFrame>
  );
}

/** Fills the job, the number of the picture, and, where they are unset, canvas and placement with its size. */
function useTaking(name: string): (job: JobLine, output: Output) => void {
  const { schema, input, change } = useOtherFields();
  return (job, output) => {
    const { index, width, height } = output;
    const size = { width: width ?? defaultSide, height: height ?? defaultSide };
    const filled = withPictureOfJob(schema, input, { jobId: job.request_id, index, ...size });
    change(filled ?? { ...input, [name]: job.request_id });
  };
}

/** The pictures of completed runs of the console, newest first, found by words of their prompts and paged. */
function PicturePicker({
  close,
  take,
}: {
  readonly close: () => void;
  readonly take: (job: JobLine, output: Output) => void;
}) {
  const [searched, setSearched] = useState('');
  const [words, setWords] = useState('');
  // Asked of the gateway, which searches all runs of the console: in a busy installation its own are far apart.
  const filter = { state: 'completed', kind: 'image', key: consoleKey, q: searched };
  const query = usePages(['jobs', 'pictures', searched], (after, signal) => jobsPage(filter, after, signal));
  const { lines } = query;
  const pictures = picturesOf(lines ?? []);
  return (
    <Dialog title="Pictures of earlier runs" isOpen close={close} isWide>
      <form
        onSubmit={event => {
          event.preventDefault();
          // The form of the model is around this one for React, though not in the document.
          event.stopPropagation();
          setSearched(words.trim());
        }}
      >
        <input
          className="input"
          type="search"
          aria-label="Words of the prompt"
          placeholder="Words of the prompt"
          value={words}
          onChange={event => setWords(event.target.value)}
        />
      </form>
      {query.error && !lines && <Failure failure={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading what="pictures" />}
      {lines && pictures.length === 0 && !query.hasNextPage && (
        <Empty title={searched === '' ? 'No pictures yet' : 'No prompt has these words'}>
          {searched === '' && 'Run a model that draws pictures first.'}
        </Empty>
      )}
      <div className="tiles">
        {pictures.map(({ job, output }) => (
          <button
            key={output.file_id}
            type="button"
            className="tile"
            onClick={() => {
              take(job, output);
              close();
            }}
          >
            <img src={fileAddress(output.url)} alt="" loading="lazy" />
            <span className="small cut">{job.prompt_start || job.model}</span>
            <span className="small soft">
              picture {output.index} · {output.width} × {output.height}
            </span>
          </button>
        ))}
      </div>
      <MoreButton query={query} words={pictures.length === 0 ? 'Search further back' : 'Older pictures'} />
    </Dialog>
  );
}

/** Not covers or grids: follow-ups refer to pictures by their number. */
const picturesOf = (jobs: readonly JobLine[]) =>
  jobs.flatMap(job =>
    job.outputs
      .filter(
        ({ role, mime_type, width }) =>
          role === 'primary' && mime_type.startsWith('image/') && (width ?? 0) <= maxSide,
      )
      .map(output => ({ job, output })),
  );
