/** Submission of a form that opens a session: the login, or the first account. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Session } from '../api/answers.ts';
import { callApi, keepCsrfToken } from '../api/call-api.ts';
import { sessionQuery } from '../api/queries.ts';

/**
 * Posts the form to a path of the admin API and stores the session that it answers. `fault` is the sentence of a refusal;
 * `bodyOf` makes the body; `beforeShown` runs before the page behind the login is drawn.
 */
export function useLoginForm(path: 'session' | 'setup', bodyOf: (form: FormData) => unknown) {
  const queries = useQueryClient();
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function enter(event: FormEvent<HTMLFormElement>, beforeShown?: () => Promise<void>) {
    event.preventDefault();
    const body = bodyOf(new FormData(event.currentTarget));
    setBusy(true);
    setFault(null);
    try {
      const session = await callApi<Session>('POST', path, { body });
      keepCsrfToken(session.csrf_token);
      await beforeShown?.();
      queries.setQueryData(sessionQuery.queryKey, session);
    } catch (failure) {
      setFault(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  }
  return { fault, isBusy, enter };
}
