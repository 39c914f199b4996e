/** The frame of every page: session, navigation, search, help, toasts. */
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useMatchRoute } from '@tanstack/react-router';
import { useState } from 'react';
import { version } from '../../package.json';
import type { Session } from '../api/answers.ts';
import { gatewayRoot } from '../api/call-api.ts';
import { sessionQuery } from '../api/queries.ts';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { Failure, Loading } from '../components/page-states.tsx';
import { Toasts } from '../components/toasts.tsx';
import { Sign } from './brand.tsx';
import { FirstAccount } from './first-account.tsx';
import { Login } from './login.tsx';
import { Omnibox } from './omnibox.tsx';
import { barLinks, pageLinks } from './page-links.ts';
import { useShortcuts } from './shortcuts.ts';

/** The login until there is a session, then the frame with the page of the address. */
export function Shell() {
  const session = useQuery(sessionQuery);
  const isAt = useMatchRoute();
  // Nothing of the console is drawn before it is known who is logged in.
  if (session.isPending) return <Loading what="the console" />;
  if (session.error) return <Failure failure={session.error} retry={() => void session.refetch()} />;
  if (session.data) return <Inside session={session.data} />;
  return isAt({ to: '/setup' }) ? <FirstAccount /> : <Login />;
}

/** The side bar, the page, and the dialogs that work on every page. */
function Inside({ session }: { readonly session: Session }) {
  // Both dialogs are opened by keys and by buttons.
  const [isFinding, setFinding] = useState(false);
  const [isHelping, setHelping] = useState(false);
  useShortcuts({ find: () => setFinding(true), help: () => setHelping(true) });
  return (
    <>
      <button type="button" className="button skip" onClick={() => document.getElementById('page')?.focus()}>
        Skip to the page
      </button>
      <div className="shell">
        <Rail session={session} />
        <div className="main">
          <div className="top">
            <button type="button" className="find" onClick={() => setFinding(true)}>
              <Icon name="find" />
              <span className="grow cut">Find a job, a file, a page</span>
              <kbd>/</kbd>
            </button>
          </div>
          <main id="page" className="page" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
        <Bar />
      </div>
      <Omnibox isOpen={isFinding} close={() => setFinding(false)} />
      <Help isOpen={isHelping} close={() => setHelping(false)} />
      <Toasts />
    </>
  );
}

/** What programs call: every operation, to read and to try. */
const apiPages = new URL('docs', gatewayRoot).href;

/** The side bar of a wide screen. */
function Rail({ session }: { readonly session: Session }) {
  return (
    <nav className="rail" aria-label="Pages">
      <Link to="/" className="brand">
        <Sign /> Atelier
      </Link>
      {pageLinks.map(({ to, words, icon }) => (
        <Link
          key={to}
          to={to}
          className="rail-link"
          activeOptions={{ exact: to === '/', includeSearch: false }}
        >
          <Icon name={icon} />
          {words}
        </Link>
      ))}
      <div className="rail-end">
        <a className="small" href={apiPages} target="_blank" rel="noreferrer">
          API pages
        </a>
        <div className="cut">{session.name}</div>
        <div className="small soft">{session.role}</div>
        <div className="small soft">Atelier {version}</div>
      </div>
    </nav>
  );
}

/** The bottom bar of a phone: four pages, and a dialog with all of them. */
function Bar() {
  const [isOpen, setOpen] = useState(false);
  return (
    <nav className="bar" aria-label="Pages of a phone">
      {barLinks.map(({ to, words, icon }) => (
        <Link
          key={to}
          to={to}
          className="bar-link"
          activeOptions={{ exact: to === '/', includeSearch: false }}
        >
          <Icon name={icon} />
          {words}
        </Link>
      ))}
      <button type="button" className="bar-link" onClick={() => setOpen(true)}>
        <Icon name="more" />
        More
      </button>
      <Dialog title="All pages" isOpen={isOpen} close={() => setOpen(false)}>
        <div className="more-list">
          {pageLinks.map(({ to, words, icon }) => (
            <Link key={to} to={to} className="rail-link" onClick={() => setOpen(false)}>
              <Icon name={icon} />
              {words}
            </Link>
          ))}
          <a className="rail-link" href={apiPages} target="_blank" rel="noreferrer">
            <Icon name="files" />
            API pages
          </a>
        </div>
        <p className="small soft">Atelier {version}</p>
      </Dialog>
    </nav>
  );
}

/** The list of keyboard shortcuts. */
function Help({ isOpen, close }: { readonly isOpen: boolean; readonly close: () => void }) {
  return (
    <Dialog title="Keyboard" isOpen={isOpen} close={close}>
      <dl className="facts">
        <dt>
          <kbd>/</kbd> or <kbd>Ctrl</kbd> <kbd>K</kbd>
        </dt>
        <dd>find a job, a file, a page</dd>
        <dt>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </dt>
        <dd>run, in the playground</dd>
        {pageLinks.map(({ to, words, key }) => (
          <HelpLine key={to} keys={['g', key]} words={words} />
        ))}
        <HelpLine keys={['?']} words="this list" />
      </dl>
    </Dialog>
  );
}

/** Keys that are pressed one after the other, and what they do. */
function HelpLine({ keys, words }: { readonly keys: readonly string[]; readonly words: string }) {
  return (
    <>
      <dt>
        {keys.map(key => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{words}</dd>
    </>
  );
}
