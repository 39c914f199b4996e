/** The page of callbacks (webhooks): their receivers, and every delivery with its state. */
import { getRouteApi } from '@tanstack/react-router';
import type { Delivery } from '../../api/answers.ts';
import { deliveriesPage } from '../../api/queries.ts';
import { MoreButton } from '../../components/more-button.tsx';
import { Empty, Failure, Loading, PageHead } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';
import { usePages } from '../../components/use-pages.ts';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { DeliveryBadge, RedeliverButton } from './delivery-parts.tsx';
import { Receivers } from './receivers.tsx';
import { RedeliverFailed } from './redeliver-failed.tsx';
import { SendTest } from './send-test.tsx';

/** The filter and the open delivery are in the address. */
const route = getRouteApi('/callbacks');
/** How often the list is read again while its page is visible. */
const liveMs = 3_000;

/** `Superseded`: an IN_PROGRESS that was dropped, because COMPLETED came before it was sent (decisions 5). */
const tabs = ['All', 'Pending', 'Delivered', 'Failed', 'Superseded'] as const;
/** The tabs by the state of the admin API. */
const states: Readonly<Record<(typeof tabs)[number], string | undefined>> = {
  All: undefined,
  Pending: 'waiting',
  Delivered: 'delivered',
  Failed: 'failed',
  Superseded: 'superseded',
};

/** State, user and the open dialog are in the address. */
export function CallbacksPage() {
  // `user` has no field here: it narrows the list by the address alone.
  const { state, user, id } = route.useSearch();
  const navigate = route.useNavigate();
  const query = usePages(
    ['deliveries', state, user],
    (after, signal) => deliveriesPage({ state, user }, after, signal),
    {
      refetchMs: liveMs,
    },
  );
  const { lines } = query;
  // An address with a state of another release shows every state.
  const tab = tabs.find(name => states[name] === state) ?? 'All';
  return (
    <>
      <PageHead
        title="Callbacks"
        says="Webhooks: signed notices to the callback_url of a job, and alerts of budgets."
      >
        <div className="row wrap">
          <SendTest />
          <RedeliverFailed />
        </div>
      </PageHead>
      <Receivers />
      <div className="filters">
        <Switcher
          label="State"
          options={tabs}
          value={tab}
          choose={name => {
            // Another state is another list: a filter by user is dropped with it.
            const next = states[name];
            void navigate({ search: next === undefined ? {} : { state: next }, replace: true });
          }}
        />
      </div>
      {query.error && !lines && <Failure failure={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading what="callbacks" />}
      {lines?.length === 0 && (
        <Empty title="No callbacks here">
          <p>A job with a callback_url sends one when it starts and one when it ends.</p>
        </Empty>
      )}
      {lines && lines.length > 0 && <Table deliveries={lines} />}
      <MoreButton query={query} words="Older callbacks" />
      {id !== undefined && (
        <DeliveryDialog
          id={id}
          close={() => void navigate({ search: ({ id: _, ...rest }) => rest, replace: true })}
        />
      )}
    </>
  );
}

/** One line a callback, the newest first. */
function Table({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const navigate = route.useNavigate();
  return (
    <TableWrap label="Callbacks">
      <table className="lines">
        <thead>
          <tr>
            <th>State</th>
            <th>To</th>
            <th className="wide-only">Status</th>
            <th className="wide-only right">Attempts</th>
            <th className="wide-only">Next attempt</th>
            <th>Age</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map(delivery => (
            <tr key={delivery.id}>
              <td>
                <DeliveryBadge state={delivery.state} />
              </td>
              <td className="host-cell about">
                <div className="cut">{hostOf(delivery.url)}</div>
                <div className="small soft cut">{delivery.user}</div>
              </td>
              <td className="wide-only small">{delivery.status}</td>
              <td className="wide-only right number">{delivery.try_count}</td>
              <td className="wide-only small soft nowrap">
                {delivery.due_at === null ? '–' : <RelativeTime at={delivery.due_at} />}
              </td>
              <td className="small soft nowrap push">
                <RelativeTime at={delivery.created_at} />
              </td>
              <td className="last">
                <div className="row actions">
                  <button
                    type="button"
                    className="button slim"
                    onClick={() => void navigate({ search: before => ({ ...before, id: delivery.id }) })}
                  >
                    View
                  </button>
                  <RedeliverButton delivery={delivery} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  );
}

/** The host is what differs between receivers; the dialog has the whole address. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
