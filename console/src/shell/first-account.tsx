import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ask, keepCsrfToken } from '../api/ask.ts';
import { sessionQuery, setupQuery } from '../api/queries.ts';
import type { Session } from '../api/shapes.ts';
import { Loaded } from '../parts/notes.tsx';
import { Sign } from './brand.tsx';
import { Login } from './login.tsx';

/** Where the banner of the first start leads: the account of whoever runs this. Once somebody has one, the login. */
export function FirstAccount() {
  const setup = useQuery(setupQuery);
  return (
    <Loaded asked={setup} what="the setup">
      {({ open }) => (open && codeOfAddress() !== '' ? <AccountForm /> : <Login />)}
    </Loaded>
  );
}

/** Behind the #, so that it stands in no log. */
const codeOfAddress = () => window.location.hash.slice(1);

function AccountForm() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function make(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const body = { code: codeOfAddress(), ...Object.fromEntries(new FormData(event.currentTarget)) };
    setBusy(true);
    setFault(null);
    try {
      const session = await ask<Session>('POST', 'setup', { body });
      keepCsrfToken(session.csrf_token);
      await navigate({ to: '/setup', hash: '', replace: true });
      queries.setQueryData(sessionQuery.queryKey, session);
    } catch (failure) {
      setFault(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  }

  return (
    <main className="login">
      <form className="card" onSubmit={make}>
        <h1 className="brand">
          <Sign /> Atelier
        </h1>
        <p>Welcome. First, your own account: an admin, who may add others.</p>
        <div className="field-line">
          <label htmlFor="name">Name</label>
          <input id="name" name="name" className="input" autoComplete="username" maxLength={100} required />
        </div>
        <div className="field-line">
          <label htmlFor="password">Password</label>
          <input
            id="password"
            name="password"
            type="password"
            className="input"
            autoComplete="new-password"
            minLength={10}
            maxLength={200}
            required
          />
          <p className="small soft">At least ten characters.</p>
        </div>
        {fault !== null && (
          <p className="notice bad" role="alert">
            {fault}
          </p>
        )}
        <button type="submit" className="button main" disabled={isBusy}>
          {isBusy ? 'Making it …' : 'Make the account'}
        </button>
      </form>
    </main>
  );
}
