/** A reference to an earlier job: typed, or picked by its picture. */
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { JobLine, Output } from '../api/answers.ts';
import { fileAddress } from '../api/call-api.ts';
import { consoleKey } from '../api/console-user.ts';
import { jobsPage } from '../api/queries.ts';
import { Dialog } from '../components/dialog.tsx';
import { Empty, Loaded } from '../components/page-states.tsx';
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

/** The pictures of completed runs of the console. */
function PicturePicker({
  close,
  take,
}: {
  readonly close: () => void;
  readonly take: (job: JobLine, output: Output) => void;
}) {
  const query = useQuery({
    queryKey: ['jobs', 'pictures'],
    queryFn: ({ signal }) => jobsPage({ state: 'completed', key: consoleKey }, null, signal),
  });
  const picturesOf = ({ data }: { readonly data: readonly JobLine[] }) =>
    data.flatMap(job =>
      job.outputs
        // Not covers or grids: follow-ups refer to pictures by their number.
        .filter(
          ({ role, mime_type, width }) =>
            role === 'primary' && mime_type.startsWith('image/') && (width ?? 0) <= maxSide,
        )
        .map(output => ({ job, output })),
    );
  return (
    <Dialog title="Pictures of earlier runs" isOpen close={close} isWide>
      <Loaded query={query} what="pictures">
        {page => {
          const pictures = picturesOf(page);
          if (pictures.length === 0)
            return <Empty title="No pictures yet">Run a model that draws pictures first.</Empty>;
          return (
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
          );
        }}
      </Loaded>
    </Dialog>
  );
}
