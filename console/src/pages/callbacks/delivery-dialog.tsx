import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { deliveryQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { exactTime, formatDuration } from '../../components/format.ts';
import { Loaded } from '../../components/page-states.tsx';
import { DeliveryBadge, RedeliverButton } from './delivery-parts.tsx';

/** One callback with every try and what the other side answered. */
export function DeliveryDialog({ id, close }: { readonly id: string; readonly close: () => void }) {
  const query = useQuery(deliveryQuery(id));
  return (
    <Dialog title="Callback" isOpen close={close} isWide>
      <Loaded query={query} what="the callback">
        {delivery => (
          <div className="stack">
            <div className="row wrap">
              <DeliveryBadge state={delivery.state} />
              <code className="grow cut">{delivery.id}</code>
              <RedeliverButton delivery={delivery} />
            </div>
            <dl className="facts">
              <dt>To</dt>
              <dd>{delivery.url}</dd>
              <dt>Tells of</dt>
              <dd>
                {delivery.status} of{' '}
                <Link to="/jobs/$jobId" params={{ jobId: delivery.request_id }}>
                  {delivery.request_id}
                </Link>
              </dd>
              <dt>User</dt>
              <dd>{delivery.user}</dd>
            </dl>
            <h3>Tries</h3>
            {delivery.tries.length === 0 && <p className="soft">None yet.</p>}
            <ol className="stack tight">
              {delivery.tries.map(({ number, at, took_ms, code, answer }) => (
                <li key={number} className="stack tight">
                  <div className="row wrap">
                    <strong>{number}</strong>
                    <span className={code !== null && code >= 200 && code < 300 ? 'badge ok' : 'badge bad'}>
                      {code ?? 'no answer'}
                    </span>
                    <span className="small soft">
                      {exactTime(at)}
                      {took_ms !== null && ` · ${formatDuration(took_ms)}`}
                    </span>
                  </div>
                  {answer !== null && answer !== '' && (
                    <Code text={answer} label={`What was answered to try ${number}`} />
                  )}
                </li>
              ))}
            </ol>
          </div>
        )}
      </Loaded>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
