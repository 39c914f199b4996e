/** Where a job came from and what was made from it, as a strip of thumbnails. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RelativeLine } from '../../api/answers.ts';
import { lineageQuery } from '../../api/queries.ts';
import { RunThumbnail } from '../../components/run-thumbnail.tsx';

/** Nothing for a job that stands alone. */
export function Lineage({ jobId }: { readonly jobId: string }) {
  const { data } = useQuery(lineageQuery(jobId));
  if (!data || data.parents.length + data.children.length === 0) return null;
  return (
    <section className="card lineage" aria-label="Chain">
      {data.parents.length > 0 && <Relatives title="Made from" jobs={data.parents} />}
      <span className="lineage-here small">this job</span>
      {data.children.length > 0 && (
        <Relatives title={data.has_more ? 'Newest made from it' : 'Made from it'} jobs={data.children} />
      )}
    </section>
  );
}

/** One side of the strip. */
function Relatives({ title, jobs }: { readonly title: string; readonly jobs: readonly RelativeLine[] }) {
  return (
    <div className="lineage-side">
      <h2 className="small soft">{title}</h2>
      <ul className="filmstrip">
        {jobs.map(job => (
          <li key={job.request_id} className="film">
            <Link
              to="/jobs/$jobId"
              params={{ jobId: job.request_id }}
              className="film-view"
              title={job.prompt_start}
              aria-label={`${job.model}: ${job.prompt_start || job.request_id}`}
            >
              <RunThumbnail job={job} />
            </Link>
            <span className="small cut">{job.relation === 'copy' ? 'run again' : job.model}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
