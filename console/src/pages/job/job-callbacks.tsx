import { Link } from '@tanstack/react-router';
import type { JobDetail } from '../../api/answers.ts';
import { DeliveryBadge, RedeliverButton } from '../callbacks/delivery-parts.tsx';

/** The callbacks of one job. */
export function JobCallbacks({ job }: { readonly job: JobDetail }) {
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
              {delivery.try_count} {delivery.try_count === 1 ? 'try' : 'tries'}
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
