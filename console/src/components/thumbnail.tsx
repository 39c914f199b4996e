/** The small picture of a job in a list. */
import type { JobLine } from '../api/answers.ts';
import { fileAddress } from '../api/call-api.ts';
import { Icon, type IconName } from './icon.tsx';

/** Larger pictures are not loaded for a line of a list. */
const largestBytes = 3 * 1024 * 1024;

/** The first picture among the outputs, else an icon of their kind. */
export function Thumbnail({ job }: { readonly job: Pick<JobLine, 'outputs' | 'state'> }) {
  const picture = job.outputs.find(
    ({ mime_type, bytes }) => mime_type.startsWith('image/') && bytes < largestBytes,
  );
  if (picture)
    return (
      <img className="thumb" src={fileAddress(picture.url)} alt="" loading="lazy" width="44" height="34" />
    );
  return (
    <span className="thumb">
      <Icon name={iconOf(job.outputs[0]?.mime_type)} />
    </span>
  );
}

/** Undefined, for a job without outputs, gives the icon of jobs. */
function iconOf(mimeType: string | undefined): IconName {
  const [kind] = mimeType?.split('/') ?? [];
  if (kind === 'video') return 'video';
  return kind === 'audio' ? 'speech' : 'jobs';
}
