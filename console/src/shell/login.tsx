import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ask, keepCsrfToken } from '../api/ask.ts';
import { sessionQuery } from '../api/queries.ts';
import type { Session } from '../api/shapes.ts';
import { Sign } from './brand.tsx';

type Way = 'token' | 'password';

/** Whoever has the admin token, or a name and a password. Neither is kept in the browser. */
export function Login() {
  const queries = useQueryClient();
  const [way, setWay] = useState<Way>('token');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function logIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setFault(null);
    try {
      const session = await ask<Session>('POST', 'session', { body: Object.fromEntries(form) });
      keepCsrfToken(session.csrf_token);
      queries.setQueryData(sessionQuery.queryKey, session);
    } catch (failure) {
      setFault(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  }

  return (
    <main className="login">
      <form className="card" onSubmit={logIn}>
        <h1 className="brand">
          <Sign /> Atelier
        </h1>
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
        {fault !== null && (
          <p className="notice bad" role="alert">
            {fault}
          </p>
        )}
        <button type="submit" className="button main" disabled={isBusy}>
          {isBusy ? 'Logging in …' : 'Log in'}
        </button>
      </form>
    </main>
  );
}

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
