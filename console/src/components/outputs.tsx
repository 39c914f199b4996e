/** The output files of a job: players, facts, download, and their use as an input. */
import { lazy, Suspense, useState } from 'react';
import type { JobLine, Output } from '../api/answers.ts';
import { fileAddress } from '../api/call-api.ts';
import { consoleUser } from '../api/console-user.ts';
import { formatBytes } from './format.ts';
import { isSeen, Lightbox } from './lightbox.tsx';
import { Film, LoopingVideo } from './players.tsx';
import { RelativeTime } from './relative-time.tsx';
import { UseIn } from './use-in.tsx';

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
export function Outputs({
  job,
  isStage = false,
}: {
  readonly job: Pick<JobLine, 'outputs' | 'user'>;
  /** Videos play by themselves: the result is what one came for. */
  readonly isStage?: boolean;
}) {
  const [at, setAt] = useState<number | null>(null);
  // The cover is the poster of its video, not a result of its own.
  const shown = job.outputs.filter(({ role }) => role !== 'cover');
  const seen = shown.filter(isSeen);
  return (
    <div className={shown.length > 1 ? 'outputs many' : 'outputs'}>
      {shown.map(output => (
        <OutputView
          key={output.file_id}
          output={output}
          // Files of other users cannot be used: the job would be refused.
          isOwn={job.user === consoleUser}
          isStage={isStage}
          enlarge={() => setAt(seen.indexOf(output))}
        />
      ))}
      <Lightbox outputs={seen} at={at} go={setAt} />
    </div>
  );
}

/** One file: player, facts, and the buttons that use or download it. */
function OutputView({
  output,
  isOwn,
  isStage,
  enlarge,
}: {
  readonly output: Output;
  readonly isOwn: boolean;
  readonly isStage: boolean;
  /** Shows it over the whole screen. */
  readonly enlarge: () => void;
}) {
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
      <Player output={output} isStage={isStage} enlarge={enlarge} />
      <figcaption className="row wrap">
        <span className="grow small soft">
          {facts.join(' · ')} · ends <RelativeTime at={output.expires_at} />
        </span>
        {isMedia && isOwn && (
          <button type="button" className="button slim main" onClick={() => setUsing(true)}>
            Use as input …
          </button>
        )}
        {isSeen(output) && (
          <button type="button" className="button slim" onClick={enlarge}>
            Full screen
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
function Player({
  output,
  isStage,
  enlarge,
}: {
  readonly output: Output;
  readonly isStage: boolean;
  readonly enlarge: () => void;
}) {
  const address = fileAddress(output.url);
  const [kind] = output.mime_type.split('/');
  switch (kind) {
    case 'image':
      return (
        <button type="button" className="output-picture" onClick={enlarge}>
          <img
            src={address}
            alt={output.file_name}
            width={output.width ?? undefined}
            height={output.height ?? undefined}
          />
        </button>
      );
    case 'video':
      return isStage ? (
        <LoopingVideo address={address} name={output.file_name} />
      ) : (
        <Film address={address} name={output.file_name} />
      );
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
