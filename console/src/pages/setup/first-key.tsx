/** The step of the setup that creates a key. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { KeyLine } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { overviewQuery, sessionQuery } from '../../api/queries.ts';
import { counted } from '../../components/format.ts';
import { toastFailure } from '../../components/toasts.tsx';
import { NewSecret } from '../keys/new-secret.tsx';
import { Step } from './step.tsx';

/** Done once there are two keys: the first start made one for the command line. */
export function FirstKey({ keys }: { readonly keys: number }) {
  const queries = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const [made, setMade] = useState<(KeyLine & { readonly secret: string }) | null>(null);
  const make = useMutation({
    mutationFn: () =>
      callApi<KeyLine & { readonly secret: string }>('POST', 'keys', {
        // A user of the person's name; its key is the application's.
        body: { user: session?.name, name: 'first application' },
      }),
    onSuccess: setMade,
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: overviewQuery.queryKey }),
  });
  // The count of the page is older than the key that was just made.
  const isDone = keys > 1 || make.isSuccess;
  return (
    <Step title="A key for an application" state={isDone ? 'done' : 'open'}>
      <p>
        An application authenticates by a key. Its secret is shown once.
        {isDone && ` There are ${counted(keys, 'key')}.`}
      </p>
      <div className="row wrap">
        <button
          type="button"
          className={isDone ? 'button' : 'button main'}
          disabled={make.isPending}
          onClick={() => make.mutate()}
        >
          {isDone ? 'Create another key' : 'Create a key'}
        </button>
      </div>
      {made && <NewSecret made={made} close={() => setMade(null)} />}
    </Step>
  );
}
