import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Session } from '../api/answers.ts';
import { callApi, keepCsrfToken } from '../api/call-api.ts';
import { sessionQuery } from '../api/queries.ts';

/** A form that begins a session at that path of the admin API: what it is refused with, and whether it is under way. */
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
