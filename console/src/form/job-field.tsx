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
import { useOtherFields } from './form-context.ts';
import { isMembers } from './input-value.ts';

/** Larger pictures are not accepted by any model that edits pictures, so they are not offered. */
const maxSide = 4096;

/** A request_id. Picking a picture fills the fields that belong to it, too. */
export function JobField(props: FieldProps) {
  const id = useId();
  const { path, value, change } = props;
  const [isPicking, setPicking] = useState(false);
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
  const { input, change, nameByHint, valueByHint } = useOtherFields();
  return (job, output) => {
    const number = nameByHint('picture-number');
    const [canvas, placement] = [nameByHint('canvas'), nameByHint('placement')];
    // Every picture was probed; the usual size of the family stands in for one that was not.
    const size = { width: output.width ?? 1024, height: output.height ?? 1024 };
    change({
      ...input,
      [name]: job.request_id,
      ...(number !== undefined && { [number]: output.index }),
      ...(canvas !== undefined && !isMembers(valueByHint('canvas')) && { [canvas]: size }),
      ...(placement !== undefined &&
        !isMembers(valueByHint('placement')) && { [placement]: { x: 0, y: 0, ...size } }),
    });
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
