/** The page of provider accounts: slots in use, circuit, last error, pause, test; a new one, and the reload. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Account, AccountTest } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { providersQuery } from '../../api/queries.ts';
import { counted } from '../../components/format.ts';
import { Loaded, PageHead } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session.ts';
import { AddProvider } from './add-provider.tsx';

/** The accounts of `atelier.yaml`, and the local engine. */
export function ProvidersPage() {
  const query = useQuery(providersQuery);
  const mayChange = useMay('admin');
  return (
    <>
      <PageHead title="Providers" says="Accounts and routes are in atelier.yaml.">
        {mayChange && (
          <div className="row wrap">
            <ReloadButton />
            <AddProvider />
          </div>
        )}
      </PageHead>
      <Loaded query={query} what="accounts">
        {({ data }) => (
          <ul className="account-cards">
            {data.map(account => (
              <AccountCard key={account.account} account={account} />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

/** State, slots in use, models, and the buttons of admins. */
function AccountCard({ account }: { readonly account: Account }) {
  const { slots, running, models, blocked_until, blocked_why, troubles, tested, last_error } = account;
  // The local engine has no key to test.
  const isLocal = account.account === 'local';
  return (
    <li className="card stack tight">
      <div className="row wrap">
        <h2 className="cut">{account.account}</h2>
        <span className="badge accent">{account.provider}</span>
        <span className="grow" />
        <Use account={account} />
        {!isLocal && <TestButton account={account.account} />}
        <PauseButton account={account} />
      </div>
      {isLocal && (
        <p className="soft">
          The local engine: draws and speaks on this machine without an account, for every model without a
          route.
        </p>
      )}
      {blocked_until !== null && (
        <p className="notice bad">
          Circuit open; called again <RelativeTime at={blocked_until} />. {blocked_why}
        </p>
      )}
      {troubles.map(({ model, says, since, seen_at }) => (
        <p key={model} className="notice bad">
          {model}: {says}. First refused <RelativeTime at={since} />, last <RelativeTime at={seen_at} />.
          After a quarter of an hour its jobs go to the next route, or fail.
        </p>
      ))}
      {last_error !== null && (
        <p className="small soft anywhere">
          Last error <RelativeTime at={last_error.at} />: {last_error.message}
        </p>
      )}
      {tested !== null && (
        <p className={`small anywhere ${isBadTest(tested.outcome) ? 'fault' : 'soft'}`}>
          Tested <RelativeTime at={tested.at} />: {tested.says}
        </p>
      )}
      <div className="row">
        <meter
          className="slots grow"
          min={0}
          max={slots}
          value={Math.min(running, slots)}
          aria-label={`Slots of ${account.account} in use`}
        />
        <span className="small number">
          {running} of {counted(slots, 'slot')}
        </span>
      </div>
      {models.length === 0 ? (
        <p className="soft">No model is routed to it.</p>
      ) : (
        <details>
          <summary className="small">{counted(models.length, 'model')}</summary>
          <ul className="chips models-of-account">
            {models.map(id => (
              <li key={id}>
                <Link to="/play/$model" params={{ model: id }} className="small">
                  {id}
                </Link>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** Paused, circuit open, or in use. */
function Use({ account: { paused, blocked_until } }: { readonly account: Account }) {
  if (paused) return <span className="badge wait">paused</span>;
  return blocked_until === null ? (
    <span className="badge ok">active</span>
  ) : (
    <span className="badge bad">circuit open</span>
  );
}

/** A paused account gets no new jobs; its jobs in flight continue. */
function PauseButton({ account: { account, paused } }: { readonly account: Account }) {
  const queries = useQueryClient();
  const mayPause = useMay('admin');
  const action = paused ? 'resume' : 'pause';
  const pause = useMutation({
    mutationFn: () => callApi('POST', `providers/${encodeURIComponent(account)}/${action}`),
    onSuccess: () => toast(paused ? `${account} resumed.` : `${account} paused: it gets no new jobs.`),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: providersQuery.queryKey }),
  });
  if (!mayPause) return null;
  return (
    <button type="button" className="button slim" disabled={pause.isPending} onClick={() => pause.mutate()}>
      {paused ? 'Resume' : 'Pause'}
    </button>
  );
}

/** `untried`: the provider has no free call, which is no fault of the account. */
const isBadTest = (outcome: string): boolean => outcome !== 'accepted' && outcome !== 'untried';

/** One free call with the key of the account, to see whether the upstream accepts it; the card keeps the result. */
function TestButton({ account }: { readonly account: string }) {
  const queries = useQueryClient();
  const mayTest = useMay('admin');
  const test = useMutation({
    mutationFn: () => callApi<AccountTest>('POST', `providers/${encodeURIComponent(account)}/test`),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: providersQuery.queryKey }),
  });
  if (!mayTest) return null;
  return (
    <button type="button" className="button slim" disabled={test.isPending} onClick={() => test.mutate()}>
      {test.isPending ? 'Testing …' : 'Test'}
    </button>
  );
}

/** Reads atelier.yaml again, in every process of the machine that answers. */
function ReloadButton() {
  const queries = useQueryClient();
  const reload = useMutation({
    mutationFn: () => callApi<{ readonly faults: readonly string[] }>('POST', 'settings/reload'),
    onSuccess: ({ faults }) =>
      faults.length === 0
        ? toast('The settings were read again.')
        : toast(`The settings stay as they were. ${faults.join(' ')}`, { isBad: true }),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <button type="button" className="button" disabled={reload.isPending} onClick={() => reload.mutate()}>
      Reload
    </button>
  );
}
