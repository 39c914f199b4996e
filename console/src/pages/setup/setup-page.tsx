/** The setup of a new installation, from the account to the first job. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Checks, Overview } from '../../api/answers.ts';
import { gatewayRoot } from '../../api/call-api.ts';
import { checksQuery, overviewQuery, sessionQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { counted } from '../../components/format.ts';
import { Loaded, PageHead } from '../../components/page-states.tsx';
import { FirstJob } from './first-job.tsx';
import { FirstKey } from './first-key.tsx';
import { Step } from './step.tsx';

/** Six steps; each shows whether it is done. */
export function SetupPage() {
  const checks = useQuery(checksQuery);
  const overview = useQuery(overviewQuery);
  return (
    <>
      <PageHead
        title="Set up"
        says="Six steps, about three minutes. No account at a provider is needed for any of them."
      >
        <Link to="/" className="button">
          Home
        </Link>
      </PageHead>
      <ol className="stack setup">
        <Account />
        <Loaded query={checks} what="the checks">
          {found => <Checked found={found} />}
        </Loaded>
        <Loaded query={overview} what="the providers">
          {seen => (
            <>
              <Providers overview={seen} />
              <FirstKey keys={seen.keys} />
              <FirstJob last={seen.results[0]?.request_id ?? null} />
            </>
          )}
        </Loaded>
      </ol>
    </>
  );
}

/** Always done: without a session the shell shows the form for the first account instead of this page. */
function Account() {
  const { data } = useQuery(sessionQuery);
  return (
    <Step title="Your account" state="done">
      <p>
        You are logged in as <strong>{data?.name}</strong>. <Link to="/settings">Settings</Link> has the
        others, and who may do what.
      </p>
    </Step>
  );
}

/** Two steps: the public address, and storage with readiness. */
function Checked({ found }: { readonly found: Checks }) {
  const here = gatewayRoot.href.replace(/\/$/, '');
  // The address of this page is right for clients, unless they reach the gateway another way.
  const isSame = found.public_url.replace(/\/$/, '') === here;
  // The write to the storage is tried for this page; readiness is what load balancers see.
  const fault = found.storage_fault ?? found.not_ready;
  return (
    <>
      <Step title="The address" state={isSame ? 'done' : 'open'}>
        <p>
          Clients receive addresses that begin with <code className="anywhere">{found.public_url}</code>
          {isSame ? (
            ', the address of this page.'
          ) : (
            <>
              , and this page is at <code>{here}</code>.
            </>
          )}
        </p>
        {!isSame && (
          <>
            <p className="small soft">
              Right if your applications reach it there. If not, start the gateway with:
            </p>
            <Code text={`ATELIER_PUBLIC_URL=${here}`} label="The setting" />
          </>
        )}
      </Step>
      <Step title="Storage" state={fault === null ? 'done' : 'bad'}>
        <p>{fault ?? 'A file was written, read and removed; the database answers; workers take jobs.'}</p>
      </Step>
    </>
  );
}

/** Always done: providers are optional, and are named in a file. */
function Providers({ overview }: { readonly overview: Overview }) {
  const others = overview.accounts.filter(({ provider }) => provider !== 'local');
  return (
    <Step title="Providers" state="done">
      <p>
        {others.length === 0
          ? 'Everything is drawn and spoken on this machine, so that all of it can be tried at once. Accounts at providers are named in atelier.yaml, whenever you like.'
          : `${counted(others.length, 'account')} of providers: ${others.map(({ account }) => account).join(', ')}.`}
      </p>
      <Link to="/providers">Providers</Link>
    </Step>
  );
}
