/** The output files of a job: players, facts, download, and their use as an input. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { JobLine, Output } from '../api/answers.ts';
import { fileAddress } from '../api/call-api.ts';
import { consoleUser } from '../api/console-user.ts';
import { modelsQuery } from '../api/queries.ts';
import { Dialog } from './dialog.tsx';
import { formatBytes } from './format.ts';
import { Film } from './players.tsx';
import { RelativeTime } from './relative-time.tsx';

/** A third of the code of the shell, and needed for sounds only. */
const Wave = lazy(() => import('./wave.tsx'));

/** Labels of the roles of files; a role without one is shown as it is. */
const words: Readonly<Record<string, string>> = {
  primary: '',
  watermarked: 'With the mark',
  last_frame: 'Last frame',
  grid: 'Grid',
  cover: 'Cover',
  subtitle: 'Subtitles',
};

/** Every file with its player and its facts; the cover of a video is shown by the player itself. */
export function Outputs({ job }: { readonly job: Pick<JobLine, 'outputs' | 'user'> }) {
  // The cover is the poster of its video, not a result of its own.
  const shown = job.outputs.filter(({ role }) => role !== 'cover');
  return (
    <div className={shown.length > 1 ? 'outputs many' : 'outputs'}>
      {shown.map(output => (
        // Files of other users cannot be used: the job would be refused.
        <OutputView key={output.file_id} output={output} isOwn={job.user === consoleUser} />
      ))}
    </div>
  );
}

/** One file: player, facts, and the buttons that use or download it. */
function OutputView({ output, isOwn }: { readonly output: Output; readonly isOwn: boolean }) {
  const [isUsing, setUsing] = useState(false);
  // The figures of the probe; a role without a label of its own has no first fact.
  const facts = [
    words[output.role] ?? output.role,
    output.width !== null && `${output.width} × ${output.height}`,
    output.seconds !== null && `${Number(output.seconds.toFixed(2))} s`,
    formatBytes(output.bytes),
  ].filter(fact => fact !== false && fact !== '');
  // Subtitles and raw data are no input of any model.
  const isMedia = /^(?:image|video|audio)\//.test(output.mime_type);
  return (
    <figure className="output">
      <Player output={output} />
      <figcaption className="row wrap">
        <span className="grow small soft">
          {facts.join(' · ')} · ends <RelativeTime at={output.expires_at} />
        </span>
        {isMedia && isOwn && (
          <button type="button" className="button slim" onClick={() => setUsing(true)}>
            Use as input in …
          </button>
        )}
        <a className="button slim" href={fileAddress(output.url)} download={output.file_name}>
          Download
        </a>
      </figcaption>
      {isUsing && <UseIn output={output} close={() => setUsing(false)} />}
    </figure>
  );
}

/** By media type. Raw PCM has no player: browsers do not decode it. */
function Player({ output }: { readonly output: Output }) {
  const address = fileAddress(output.url);
  const [kind] = output.mime_type.split('/');
  switch (kind) {
    case 'image':
      return (
        <a href={address} target="_blank" rel="noreferrer">
          <img
            src={address}
            alt={output.file_name}
            width={output.width ?? undefined}
            height={output.height ?? undefined}
          />
        </a>
      );
    case 'video':
      return <Film address={address} name={output.file_name} />;
    case 'audio':
      return output.mime_type === 'audio/pcm' ? (
        <p className="soft">Raw sound: no browser plays it.</p>
      ) : (
        <Suspense fallback={<p className="soft">Loading the player …</p>}>
          <Wave address={address} name={output.file_name} />
        </Suspense>
      );
    default:
      return null;
  }
}

/** Links to the models that accept this kind of file; the form opens with the file filled in. */
function UseIn({ output, close }: { readonly output: Output; readonly close: () => void }) {
  const models = useQuery(modelsQuery);
  const kind = output.mime_type.split('/')[0] ?? '';
  // By kind alone; the form and the gateway check bounds.
  const isPicture = kind === 'image' && output.width !== null;
  const all = models.data?.data ?? [];
  // First what continues this very result: edits of the picture, then results of the same kind.
  const ranked = [
    all.filter(({ takes }) => isPicture && takes.includes('job')),
    all.filter(({ takes, kind: made }) => takes.includes(kind) && made === kind),
    all.filter(({ takes, kind: made }) => takes.includes(kind) && made !== kind),
  ];
  const fitting = [...new Set(ranked.flat())];
  return (
    <Dialog title="Use as input in" isOpen close={close}>
      {models.isSuccess && fitting.length === 0 && <p className="soft">No model takes this kind of file.</p>}
      <ul className="stack tight">
        {fitting.map(({ id, title }) => (
          <li key={id}>
            <Link
              to="/play/$model"
              params={{ model: id }}
              search={{ use: output.file_id }}
              className="rail-link"
            >
              <span className="grow">{title}</span>
              <code>{id}</code>
            </Link>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
