/** The thumbnail of a run in a strip. */
import type { JobLine } from '../api/answers.ts';
import { fileAddress } from '../api/call-api.ts';
import { Icon } from './icon.tsx';
import { Still } from './players.tsx';

/** The first picture, a frame of the first video, or the sign of its state. */
export function RunThumbnail({ job }: { readonly job: JobLine }) {
  const picture = job.outputs.find(({ mime_type }) => mime_type.startsWith('image/'));
  if (picture) return <img src={fileAddress(picture.url)} alt="" loading="lazy" />;
  const video = job.outputs.find(({ mime_type }) => mime_type.startsWith('video/'));
  if (video) return <Still address={fileAddress(video.url)} name={video.file_name} />;
  if (job.state === 'completed') return <Icon name="speech" />;
  if (job.state === 'available') return <Icon name="clock" />;
  return job.state === 'running' ? <span className="spin" /> : <Icon name="cross" />;
}
