/** A test event to any receiver, signed as the callbacks of a user, with its answer. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { WebhookTest } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { keysQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { formatDuration } from '../../components/format.ts';
import { useMay } from '../../shell/session.ts';

/** A receiver can be tried before a job costs anything. */
export function SendTest() {
  const mayAct = useMay('developer');
  const [isOpen, setOpen] = useState(false);
  if (!mayAct) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Send a test …
      </button>
      {isOpen && <TestDialog close={() => setOpen(false)} />}
    </>
  );
}

/** The users are those of the keys. */
function TestDialog({ close }: { readonly close: () => void }) {
  const ids = { url: useId(), user: useId() };
  const keys = useQuery(keysQuery);
  const users = [...new Set(keys.data?.data.map(({ user }) => user))].toSorted();
  const [url, setUrl] = useState('');
  const [user, setUser] = useState('');
  const test = useMutation({
    mutationFn: () =>
      callApi<WebhookTest>('POST', 'webhook-tests', { body: { url, user: user || users[0] } }),
  });
  return (
    <Dialog title="Send a test event" isOpen close={close}>
      <form
        className="stack tight"
        onSubmit={event => {
          event.preventDefault();
          test.mutate();
        }}
      >
        <p className="soft">One signed POST, stored nowhere and never repeated. Its body says test: true.</p>
        <div className="field-line">
          <label htmlFor={ids.url}>Address of the receiver</label>
          <input
            id={ids.url}
            className="input"
            type="url"
            required
            placeholder="https://example.com/hooks"
            value={url}
            onChange={event => setUrl(event.target.value)}
          />
        </div>
        <div className="field-line">
          <label htmlFor={ids.user}>Signed with the secret of</label>
          <select
            id={ids.user}
            className="input"
            value={user || users[0]}
            onChange={event => setUser(event.target.value)}
          >
            {users.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <div role="status" className="stack tight">
          {test.error && <p className="notice bad">{test.error.message}</p>}
          {test.data && <Answer test={test.data} />}
        </div>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={close}>
            Close
          </button>
          <button type="submit" className="button main" disabled={test.isPending || users.length === 0}>
            {test.isPending ? 'Sending …' : 'Send'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Any 2xx would deliver. */
function Answer({ test: { code, answer, took_ms } }: { readonly test: WebhookTest }) {
  const isGood = code !== null && code >= 200 && code < 300;
  return (
    <>
      <p className={`notice ${isGood ? 'ok' : 'bad'}`}>
        {isGood ? 'Delivered' : 'Not delivered'}: {code ?? 'no answer'} after {formatDuration(took_ms)}.
      </p>
      {answer !== '' && <Code text={answer} label="The answer of the receiver" />}
    </>
  );
}
