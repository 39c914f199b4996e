/** The newest results on the home page. */
import { Link } from '@tanstack/react-router';
import type { JobLine } from '../../api/answers.ts';
import { fileAddress } from '../../api/call-api.ts';
import { Icon } from '../../components/icon.tsx';
import { Empty } from '../../components/page-states.tsx';
import { Still } from '../../components/players.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';

/** Each result links to its job. */
export function NewestResults({ jobs }: { readonly jobs: readonly JobLine[] }) {
  return (
    <section className="card">
      <h2>Newest results</h2>
      {jobs.length === 0 && (
        <Empty title="Nothing made yet">
          <p>Without any account the local engine draws and speaks.</p>
          <Link to="/play" className="button">
            Try a model
          </Link>
        </Empty>
      )}
      <ul className="results">
        {jobs.map(job => (
          <li key={job.request_id}>
            <Link to="/jobs/$jobId" params={{ jobId: job.request_id }} className="result">
              <Preview job={job} />
              <span className="cut small">{job.prompt_start || job.model}</span>
              <span className="row small soft">
                <span className="grow cut">{job.model}</span>
                <span className="nowrap">
                  <RelativeTime at={job.completed_at ?? job.created_at} />
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The main output of a job, small; a sound, or a job without files, has a sign. */
function Preview({ job }: { readonly job: JobLine }) {
  // Not the cover or the last frame, where there is a main result.
  const shown = job.outputs.find(({ role }) => role === 'primary') ?? job.outputs[0];
  // The first half of a MIME type is the kind of medium.
  const [kind] = shown?.mime_type.split('/') ?? [];
  if (shown && kind === 'image') return <img src={fileAddress(shown.url)} alt="" loading="lazy" />;
  if (shown && kind === 'video')
    return <Still address={fileAddress(shown.url)} name={job.prompt_start || job.model} />;
  return (
    <span className="result-sign">
      <Icon name={kind === 'audio' ? 'speech' : 'jobs'} />
    </span>
  );
}
