/** The login screen. */
import { useState } from 'react';
import { FormFault } from '../components/form-fault.tsx';
import { Sign } from './brand.tsx';
import { useLoginForm } from './use-login-form.ts';

/** What is typed to log in. */
type Way = 'token' | 'password';

/** Which way was used last in this browser; no secret is stored. */
const wayKey = 'atelier.login';

/** The token is first: before there are accounts it is the only way. People with a password log in by it again. */
function lastWay(): Way {
  try {
    return localStorage.getItem(wayKey) === 'password' ? 'password' : 'token';
  } catch {
    // The storage is disabled.
    return 'token';
  }
}

/** Never throws: without storage the next login opens as the first one. */
function keepWay(way: Way): void {
  try {
    localStorage.setItem(wayKey, way);
  } catch {
    // The storage is full or disabled.
  }
}

/** By the admin token, or by name and password. The browser keeps a session cookie only. `says` stands above. */
export function Login({ says }: { readonly says?: string }) {
  const [way, setWay] = useState<Way>(() => (says === undefined ? lastWay() : 'password'));
  // The names of the fields are those of the body, whichever way is shown.
  const { fault, isBusy, enter } = useLoginForm('session', form => Object.fromEntries(form));

  return (
    <main className="login">
      <form className="card" onSubmit={event => void enter(event, async () => keepWay(way))}>
        <h1 className="brand">
          <Sign /> Atelier
        </h1>
        {says !== undefined && <p className="notice wait">{says}</p>}
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
        <button type="submit" className="button main" disabled={isBusy}>
          {isBusy ? 'Logging in …' : 'Log in'}
        </button>
      </form>
    </main>
  );
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
