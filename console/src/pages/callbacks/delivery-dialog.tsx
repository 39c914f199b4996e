/** The dialog of one callback: its target, every attempt, its request, and the check of a signature. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { deliveryQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { exactTime, formatDuration } from '../../components/format.ts';
import { Loaded } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { DeliveryBadge, RedeliverButton } from './delivery-parts.tsx';
import { DeliveryRequest } from './delivery-request.tsx';
import { SignatureForm } from './signature-form.tsx';

/** Refreshed while attempts are still due. */
export function DeliveryDialog({ id, close }: { readonly id: string; readonly close: () => void }) {
  // The list has no attempts: they are read when they are looked at.
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
              <dt>Status</dt>
              <dd>
                {delivery.status}
                {delivery.request_id !== null && (
                  <>
                    {' of '}
                    <Link to="/jobs/$jobId" params={{ jobId: delivery.request_id }}>
                      {delivery.request_id}
                    </Link>
                  </>
                )}
              </dd>
              <dt>User</dt>
              <dd>{delivery.user}</dd>
              {delivery.due_at !== null && (
                <>
                  <dt>Next attempt</dt>
                  <dd>
                    <RelativeTime at={delivery.due_at} />
                  </dd>
                </>
              )}
            </dl>
            <h3>Attempts</h3>
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
                    <Code text={answer} label={`The answer to attempt ${number}`} />
                  )}
                </li>
              ))}
            </ol>
            <DeliveryRequest delivery={delivery} />
            <SignatureForm id={delivery.id} />
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
