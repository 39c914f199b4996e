/** The login screen. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Login as LoginWays } from '../api/answers.ts';
import { loginQuery } from '../api/queries.ts';
import { FormFault } from '../components/form-fault.tsx';
import { Sign } from './brand.tsx';
import { useLoginForm } from './use-login-form.ts';

/** What is typed to log in. */
type Way = 'token' | 'password';

/** Which way was used last in this browser; no secret is stored. */
const wayKey = 'atelier.login';

/** Null in a browser that nobody logged in with. */
function lastWay(): Way | null {
  try {
    const way = localStorage.getItem(wayKey);
    return way === 'password' || way === 'token' ? way : null;
  } catch {
    // The storage is disabled.
    return null;
  }
}

/** Before there are people the token is the only way; the operator, who has it, finds the other button. */
const usualWay = (ways: LoginWays | undefined): Way => (ways?.has_passwords ? 'password' : 'token');

/** Never throws: without storage the next login opens as the first one. */
function keepWay(way: Way): void {
  try {
    localStorage.setItem(wayKey, way);
  } catch {
    // The storage is full or disabled.
  }
}

/** The code of a login that the identity provider led back without success; the gateway has its sentence. */
const refusedCode = () => new URLSearchParams(window.location.search).get('refused');

/** It concerns the login alone: the pages behind it have their addresses without it. */
const forgetRefusal = () => window.history.replaceState(window.history.state, '', window.location.pathname);

/**
 * By an identity provider where one is set, by the admin token, or by name and password. The browser keeps a session
 * cookie only. `says` stands above.
 */
export function Login({ says }: { readonly says?: string }) {
  const [chosen, setWay] = useState<Way | null>(() => (says === undefined ? lastWay() : 'password'));
  // The names of the fields are those of the body, whichever way is shown.
  const { fault, isBusy, enter } = useLoginForm('session', form => Object.fromEntries(form));
  const [refused] = useState(refusedCode);
  const ways = useQuery(loginQuery(refused)).data;
  const way = chosen ?? usualWay(ways);

  return (
    <main className="login">
      <form className="card" onSubmit={event => void enter(event, async () => keepLogin(way, refused))}>
        <h1 className="brand">
          <Sign /> Atelier
        </h1>
        {says !== undefined && <p className="notice wait">{says}</p>}
        <FormFault message={ways?.refused} />
        {ways?.oidc && (
          <a className="button main" href={ways.oidc.url}>
            Continue with {ways.oidc.label}
          </a>
        )}
        <fieldset className="switcher" aria-label="How to log in">
          {(['token', 'password'] as const).map(one => (
            <button
              key={one}
              type="button"
              className="grow"
              aria-pressed={way === one}
              onClick={() => setWay(one)}
            >
              {one === 'token' ? 'Admin token' : 'Password'}
            </button>
          ))}
        </fieldset>
        {way === 'token' ? <TokenField /> : <PasswordFields />}
        <FormFault message={fault} />
        <button type="submit" className={ways?.oidc ? 'button' : 'button main'} disabled={isBusy}>
          {isBusy ? 'Logging in …' : 'Log in'}
        </button>
      </form>
    </main>
  );
}

/** Before the page behind the login is drawn. */
function keepLogin(way: Way, refused: string | null): void {
  keepWay(way);
  if (refused !== null) forgetRefusal();
}

/** For the operator of this installation; the token is in its environment or in its data folder. */
function TokenField() {
  return (
    <div className="field-line">
      <label htmlFor="token">Admin token</label>
      <input
        id="token"
        name="token"
        type="password"
        className="input"
        autoComplete="current-password"
        required
      />
      <p className="small soft">
        <code>ATELIER_ADMIN_TOKEN</code>, or <code>adminToken</code> in <code>secrets.json</code> of the data
        folder.
      </p>
    </div>
  );
}

/** For people with an account; password managers know the fields by their `autoComplete`. */
function PasswordFields() {
  return (
    <>
      <div className="field-line">
        <label htmlFor="name">Name</label>
        <input id="name" name="name" className="input" autoComplete="username" required />
      </div>
      <div className="field-line">
        <label htmlFor="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          className="input"
          autoComplete="current-password"
          required
        />
        <p className="small soft">An admin adds people under Settings.</p>
      </div>
    </>
  );
}
