/** A dialog that picks an earlier result or upload as an input. */
import { useQuery } from '@tanstack/react-query';
import type { FileLine } from '../api/answers.ts';
import { fileAddress } from '../api/call-api.ts';
import { consoleUser } from '../api/console-user.ts';
import type { MediaLimits } from '../api/input-schema.ts';
import { filesPage } from '../api/queries.ts';
import { Dialog } from '../components/dialog.tsx';
import { Empty, Loaded } from '../components/page-states.tsx';
import { Still } from '../components/players.tsx';

/** The newest files of one kind that belong to the console. `pick` receives the file id. */
export function FilePicker({
  kind,
  close,
  pick,
}: {
  readonly kind: MediaLimits['kind'];
  readonly close: () => void;
  readonly pick: (fileId: string) => void;
}) {
  const files = useQuery({
    // One list for every kind, filtered below, so that another field opens at once.
    queryKey: ['files', 'pick'],
    queryFn: ({ signal }) => filesPage('', null, signal),
  });
  return (
    <Dialog title="Earlier results and uploads" isOpen close={close} isWide>
      <Loaded query={files} what="files">
        {({ data }) => {
          // Files of other users cannot be used: the job would be refused.
          const fitting = data.filter(
            file => file.user === consoleUser && file.mime_type.startsWith(`${kind}/`),
          );
          if (fitting.length === 0)
            return (
              <Empty title="Nothing of this kind yet">
                Results of the playground and uploads stand here.
              </Empty>
            );
          return (
            <div className="tiles">
              {fitting.map(file => (
                <button
                  key={file.id}
                  type="button"
                  className="tile"
                  onClick={() => {
                    pick(file.id);
                    close();
                  }}
                >
                  <Preview file={file} />
                  <span className="small cut">{file.filename}</span>
                </button>
              ))}
            </div>
          );
        }}
      </Loaded>
    </Dialog>
  );
}

/** A picture, the first frame of a video, or the format of a sound. */
function Preview({ file }: { readonly file: FileLine }) {
  if (file.mime_type.startsWith('image/')) return <img src={fileAddress(file.url)} alt="" loading="lazy" />;
  if (file.mime_type.startsWith('video/'))
    return <Still address={fileAddress(file.url)} name={file.filename} />;
  return <span className="tile-words">{file.mime_type.split('/')[1]}</span>;
}
