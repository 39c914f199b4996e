/** The sessions that are open, and how they are ended. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionLine } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { sessionsQuery } from '../../api/queries.ts';
import { Confirm } from '../../components/dialog.tsx';
import { Loaded } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session.ts';

/** Your sessions; for an admin, everybody's. */
export function Sessions() {
  const query = useQuery(sessionsQuery);
  // The gateway decides whose sessions are listed; the role only changes the sentence.
  const isAdmin = useMay('admin');
  return (
    <section className="card">
      <div className="card-head">
        <h2>Sessions</h2>
        {query.data && query.data.data.length > 1 && <EndOthers isAdmin={isAdmin} />}
      </div>
      <p className="small soft">
        {isAdmin ? 'Every open session.' : 'Where you are logged in.'} A session ends after 45 minutes without
        a request.
      </p>
      <Loaded query={query} what="the sessions">
        {({ data, has_more }) => (
          <>
            <ul className="stack tight" aria-label="Sessions">
              {data.map(line => (
                <Line key={line.id} line={line} />
              ))}
            </ul>
            {has_more && <p className="small soft">There are more; these are the newest.</p>}
          </>
        )}
      </Loaded>
    </section>
  );
}

/** The present session has no End button: Log out ends it. */
function Line({ line }: { readonly line: SessionLine }) {
  const queries = useQueryClient();
  const end = useMutation({
    // The browser of that session sees its login at the next request.
    mutationFn: () => callApi('DELETE', `sessions/${line.id}`),
    onSuccess: () => toast('Ended; that browser has to log in again.'),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <li className="row wrap">
      <div className="grow">
        {line.name} <span className="small soft">{line.address}</span>{' '}
        {line.current && <span className="badge ok">this browser</span>}
        <div className="small soft">
          started <RelativeTime at={line.began_at} />, seen <RelativeTime at={line.last_seen_at} />
        </div>
        <div className="small soft">{line.user_agent}</div>
      </div>
      {!line.current && (
        <button
          type="button"
          className="button slim danger"
          aria-label={`End the session of ${line.name} from ${line.address}`}
          disabled={end.isPending}
          onClick={() => end.mutate()}
        >
          End
        </button>
      )}
    </li>
  );
}

/** Ends every session but the present one, after a confirmation. */
function EndOthers({ isAdmin }: { readonly isAdmin: boolean }) {
  const queries = useQueryClient();
  // The act reaches other people, so it is confirmed.
  const [isAsking, setAsking] = useState(false);
  const end = useMutation({
    mutationFn: () => callApi<{ readonly ended: number }>('DELETE', 'sessions'),
    onSuccess: ({ ended }) => toast(`${ended} ended.`),
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <>
      <button type="button" className="button slim danger" onClick={() => setAsking(true)}>
        End all others
      </button>
      <Confirm
        title="End all other sessions"
        says={
          isAdmin
            ? 'All other people, and you in every other browser, have to log in again.'
            : 'You have to log in again in every other browser.'
        }
        action="End sessions"
        isOpen={isAsking}
        close={() => setAsking(false)}
        confirm={() => end.mutate()}
      />
    </>
  );
}
