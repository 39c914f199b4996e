/** The page of settings: you, password, sessions, people, audit, about. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuditLine, Page } from '../../api/answers.ts';
import { callApi, gatewayRoot } from '../../api/call-api.ts';
import { sessionQuery } from '../../api/queries.ts';
import { Loaded, PageHead } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { TableWrap } from '../../components/table-wrap.tsx';
import { toastFailure } from '../../components/toasts.tsx';
import { usePersonNames } from '../../components/use-person-names.ts';
import { useMay } from '../../shell/session.ts';
import { chooseTheme, readTheme, type Theme } from '../../shell/theme.ts';
import { OwnPassword } from './own-password.tsx';
import { People } from './people.tsx';
import { Sessions } from './sessions.tsx';

/** `system` is what the browser says, and the default. */
const themes = ['system', 'light', 'dark'] as const;

/** People are for admins, the password is for people who have one here. */
export function SettingsPage() {
  const isAdmin = useMay('admin');
  const { data: session } = useQuery(sessionQuery);
  return (
    <>
      <PageHead title="Settings" />
      <div className="stack">
        <You />
        {session?.login === 'password' && <OwnPassword />}
        <Sessions />
        {isAdmin && <People />}
        <Audit />
        <About />
      </div>
    </>
  );
}

/** Name, role, end of the session, theme, logout. */
function You() {
  const { data: session } = useQuery(sessionQuery);
  // Stored in this browser; it is no setting of the account.
  const [theme, setTheme] = useState<Theme>(readTheme);
  const leave = useMutation({
    mutationFn: () => callApi('DELETE', 'session'),
    // A reload drops everything that was loaded under the old session.
    onSuccess: () => location.reload(),
    onError: toastFailure,
  });
  return (
    <section className="card">
      <h2>You</h2>
      <dl className="facts">
        <dt>Name</dt>
        <dd>{session?.name}</dd>
        <dt>Role</dt>
        <dd>{session?.role}</dd>
        <dt>Logged in until</dt>
        <dd>{session?.ends_at == null ? 'the browser is closed' : <RelativeTime at={session.ends_at} />}</dd>
        <dt>Appearance</dt>
        <dd>
          <Switcher
            label="Appearance"
            options={themes}
            value={theme}
            choose={next => {
              chooseTheme(next);
              setTheme(next);
            }}
          />
        </dd>
      </dl>
      <p className="after">
        <button type="button" className="button" disabled={leave.isPending} onClick={() => leave.mutate()}>
          Log out
        </button>
      </p>
    </section>
  );
}

/** The newest 30 entries; the command line lists all. */
function Audit() {
  const query = useQuery({
    // Not refreshed by a timer: it is read to look something up.
    queryKey: ['audit'],
    queryFn: ({ signal }) => callApi<Page<AuditLine>>('GET', 'audit?limit=30', { signal }),
  });
  const ids = query.data?.data.flatMap(({ actor, subject }) => [actor, subject]) ?? [];
  const nameOf = usePersonNames(ids);
  return (
    <section className="card">
      <h2>Audit</h2>
      <p className="small soft">
        Every act, the newest first; <code>atelier audit verify</code> proves that no line was changed.
      </p>
      <Loaded query={query} what="the audit">
        {({ data }) => (
          <TableWrap label="Audit">
            <table>
              <thead>
                <tr>
                  <th>When</th>
                  <th>What</th>
                  <th>By</th>
                  <th>To</th>
                </tr>
              </thead>
              <tbody>
                {data.map(({ number, at, action, actor, subject }) => (
                  <tr key={number}>
                    <td className="small nowrap">
                      <RelativeTime at={at} />
                    </td>
                    <td>{action}</td>
                    <td className="small nowrap">{nameOf(actor)}</td>
                    <td className="small nowrap">{nameOf(subject)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </TableWrap>
        )}
      </Loaded>
    </section>
  );
}

/** Where this gateway is, its protocol and licence, and which hosts this page connects to. */
function About() {
  const root = gatewayRoot.href.replace(/\/$/, '');
  return (
    <section className="card">
      <h2>About</h2>
      <dl className="facts">
        <dt>Gateway</dt>
        <dd>
          <code>{root}</code>
        </dd>
        <dt>Protocol</dt>
        <dd>
          <a href={`${root}/openapi.json`}>openapi.json</a>
        </dd>
        <dt>Licence</dt>
        <dd>Apache-2.0</dd>
        <dt>Outbound</dt>
        <dd>
          This page sends requests to its own gateway only. The gateway connects to the providers, media and
          callbacks that jobs name.
        </dd>
      </dl>
    </section>
  );
}
