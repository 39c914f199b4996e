/** The form that changes the password of the person who is logged in. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import type { Session } from '../../api/answers.ts';
import { callApi, keepCsrfToken } from '../../api/call-api.ts';
import { sessionQuery } from '../../api/queries.ts';
import { FormFault } from '../../components/form-fault.tsx';
import { NewPasswordField } from '../../components/new-password-field.tsx';
import { toast } from '../../components/toasts.tsx';

/** A change ends every other session of the person. Sessions of the admin token have no password. */
export function OwnPassword() {
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const change = useMutation({
    mutationFn: (body: unknown) => callApi<Session>('PUT', 'session/password', { body }),
    onSuccess: session => {
      // The change replaced the session of this browser, too.
      keepCsrfToken(session.csrf_token);
      queries.setQueryData(sessionQuery.queryKey, session);
      // The other sessions of the list have ended.
      void queries.invalidateQueries({ queryKey: ['sessions'] });
      form.current?.reset();
      toast('Changed; every other browser has to log in again.');
    },
  });
  // `current` and `new` are the names of the fields and of the members of the body.
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    change.mutate(Object.fromEntries(new FormData(event.currentTarget)));
  }
  return (
    <section className="card">
      <h2>Your password</h2>
      <form className="stack" ref={form} onSubmit={submit}>
        <div className="field-line">
          <label htmlFor="password-current">Present password</label>
          <input
            id="password-current"
            name="current"
            type="password"
            className="input"
            required
            autoComplete="current-password"
          />
        </div>
        <NewPasswordField id="password-new" name="new" label="New password" />
        <FormFault message={change.error?.message} />
        <p>
          <button type="submit" className="button" disabled={change.isPending}>
            Change password
          </button>
        </p>
      </form>
    </section>
  );
}
