/** The callbacks of one job, on its page. */
import { Link } from '@tanstack/react-router';
import type { JobDetail } from '../../api/answers.ts';
import { counted } from '../../components/format.ts';
import { DeliveryBadge, RedeliverButton } from '../callbacks/delivery-parts.tsx';

/** Nothing for a job without a callback_url. */
export function JobCallbacks({ job }: { readonly job: JobDetail }) {
  // The list below is empty until the job starts.
  if (job.callback_url === null) return null;
  return (
    <section className="card">
      <h2>Callbacks</h2>
      <p className="small soft anywhere">{job.callback_url}</p>
      <ul className="stack tight callbacks-of-job">
        {job.deliveries.map(delivery => (
          <li key={delivery.id} className="row wrap">
            <DeliveryBadge state={delivery.state} />
            <span>{delivery.status}</span>
            <span className="grow small soft">
              {counted(delivery.try_count, 'attempt')}
              {delivery.tries.at(-1)?.code != null && ` · last answer ${delivery.tries.at(-1)?.code}`}
            </span>
            <Link to="/callbacks" search={{ id: delivery.id }} className="button slim">
              View
            </Link>
            <RedeliverButton delivery={delivery} />
          </li>
        ))}
      </ul>
    </section>
  );
}
