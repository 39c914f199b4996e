/** The list of jobs as pictures: what came of each, and its prompt. */
import type { JobLine, Output } from '../../api/answers.ts';
import { fileAddress } from '../../api/call-api.ts';
import { Icon } from '../../components/icon.tsx';
import { Still } from '../../components/players.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { lineId, type Peek } from './use-peek.ts';

/** Each tile opens the job beside the list. */
export const JobsGallery = ({ jobs, peek }: { readonly jobs: readonly JobLine[]; readonly peek: Peek }) => (
  <ul className="gallery" aria-label="Jobs">
    {jobs.map(job => (
      <li key={job.request_id} id={lineId(job.request_id)}>
        <button
          type="button"
          className="gallery-tile peek-button"
          aria-pressed={peek.id === job.request_id}
          onClick={() => peek.open(job.request_id)}
        >
          <Picture job={job} />
          <span className="cut">{job.prompt_start || 'Untitled'}</span>
          <span className="small soft cut">
            {job.model} · <RelativeTime at={job.created_at} />
          </span>
        </button>
      </li>
    ))}
  </ul>
);

/** The first picture or film; of a job without one, its state. */
function Picture({ job }: { readonly job: JobLine }) {
  const shown = job.outputs.find(isSeen);
  if (shown === undefined)
    return (
      <span className="gallery-picture">
        {job.outputs.length > 0 ? (
          <Icon name="speech" />
        ) : (
          <StateBadge state={job.state} cancel_requested={job.cancel_requested} />
        )}
      </span>
    );
  return (
    <span className="gallery-picture">
      {shown.mime_type.startsWith('image/') ? (
        <img src={fileAddress(shown.url)} alt="" loading="lazy" />
      ) : (
        <Still address={fileAddress(shown.url)} name="" />
      )}
      {job.outputs.length > 1 && <span className="badge count number">{job.outputs.length}</span>}
    </span>
  );
}

const isSeen = ({ mime_type }: Output): boolean => /^(?:image|video)\//.test(mime_type);
