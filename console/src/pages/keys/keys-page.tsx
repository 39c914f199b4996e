/** The page of API keys: list, create, edit, revoke. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { KeyLine } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { consoleKey } from '../../api/console-user.ts';
import { keysQuery } from '../../api/queries.ts';
import { Confirm } from '../../components/dialog.tsx';
import { counted } from '../../components/format.ts';
import { Empty, Loaded, PageHead } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session.ts';
import { KeyForm } from './key-form.tsx';
import { NewSecret } from './new-secret.tsx';

/** For admins with the forms; other roles see the list. */
export function KeysPage() {
  // Revoked keys are in the list, because their jobs are still there.
  const query = useQuery(keysQuery);
  const mayEdit = useMay('admin');
  // The dialog is open for one key at a time, or for a new one.
  const [edited, setEdited] = useState<KeyLine | 'new' | null>(null);
  // The secret is in the memory of this page only, until its dialog is closed.
  const [made, setMade] = useState<(KeyLine & { readonly secret: string }) | null>(null);
  return (
    <>
      <PageHead title="Keys" says="A key speaks for a user. Its secret is shown once, when it is made.">
        {mayEdit && (
          <button type="button" className="button main" onClick={() => setEdited('new')}>
            New key
          </button>
        )}
      </PageHead>
      <Loaded query={query} what="keys">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No keys yet">An application needs one to create jobs.</Empty>
          ) : (
            <Table keys={data} edit={mayEdit ? setEdited : null} />
          )
        }
      </Loaded>
      {edited !== null && <KeyForm edited={edited} close={() => setEdited(null)} onCreated={setMade} />}
      {made !== null && <NewSecret made={made} close={() => setMade(null)} />}
    </>
  );
}

/** `edit` is null where the role may not change keys. */
function Table({
  keys,
  edit,
}: {
  readonly keys: readonly KeyLine[];
  readonly edit: ((key: KeyLine) => void) | null;
}) {
  return (
    <TableWrap label="Keys">
      <table className="lines">
        <thead>
          <tr>
            <th>Key</th>
            <th className="wide-only">Models</th>
            <th className="wide-only">Limits</th>
            <th>State</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map(key => (
            <tr key={key.id}>
              <td className="key-main about">
                <div className="cut">
                  <strong>{key.name ?? 'no name'}</strong> <span className="soft">{key.user}</span>
                </div>
                <code className="soft">{key.hint}</code>
                <div className="small soft">
                  made {key.id === consoleKey && 'by the gateway for the playground '}
                  <RelativeTime at={key.created_at} />
                </div>
              </td>
              <td className="wide-only small">
                {key.models === null ? (
                  'all'
                ) : (
                  <span title={key.models.join(', ')}>{counted(key.models.length, 'model')}</span>
                )}
              </td>
              <td className="wide-only small">{limitsOf(key)}</td>
              <td className="small">
                <KeyState given={key} />
              </td>
              <td className="last">
                <div className="row actions">
                  <Link to="/jobs" search={{ key: key.id }} className="button slim">
                    Jobs
                  </Link>
                  {edit && key.revoked_at === null && (
                    <>
                      <button type="button" className="button slim" onClick={() => edit(key)}>
                        Edit
                      </button>
                      <RevokeButton revoked={key} />
                    </>
                  )}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  );
}

/** Scopes and limits as one text. */
function limitsOf({ scopes, jobs_at_once, jobs_per_day }: KeyLine): string {
  const limits = [
    scopes?.join(', '),
    jobs_at_once !== null && `${jobs_at_once.toLocaleString()} at once`,
    jobs_per_day !== null && `${jobs_per_day.toLocaleString()} a day`,
  ];
  return limits.filter(Boolean).join(', ') || 'none';
}

/** Revoked, ended, with an end, or without one. Unix seconds are compared with the clock of this browser. */
function KeyState({ given: { revoked_at, expires_at } }: { readonly given: KeyLine }) {
  if (revoked_at !== null) return <span className="badge bad">revoked</span>;
  if (expires_at === null) return <span className="badge ok">active</span>;
  // An ended key still stands in the list, so that its jobs can be found.
  const isOver = expires_at * 1_000 < Date.now();
  return (
    <span className={isOver ? 'badge bad' : 'badge wait'}>
      {isOver ? 'ended' : 'ends'} <RelativeTime at={expires_at} />
    </span>
  );
}

/** Asks for confirmation: a revoked key cannot be restored. */
function RevokeButton({ revoked }: { readonly revoked: KeyLine }) {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const revoke = useMutation({
    mutationFn: () => callApi('POST', `keys/${revoked.id}/revoke`),
    onSuccess: () => toast('Revoked. Every process refuses it from now on.'),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  return (
    <>
      <button type="button" className="button slim danger" onClick={() => setAsking(true)}>
        Revoke
      </button>
      <Confirm
        title="Revoke this key"
        says={`Requests with ${revoked.name ?? revoked.hint} of ${revoked.user} are refused from now on. Jobs in flight continue. This cannot be undone.`}
        action="Revoke key"
        isOpen={isAsking}
        close={() => setAsking(false)}
        confirm={() => revoke.mutate()}
      />
    </>
  );
}
