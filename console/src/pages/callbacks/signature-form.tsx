/** The check of a callback that a receiver got: headers and body are pasted in, the gateway says what is wrong. */
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { SignatureCheck } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';

/** Folded: it is needed while a receiver is written. The secret stays in the gateway. */
export function SignatureForm({ id }: { readonly id: string }) {
  const ids = { headers: useId(), body: useId() };
  const [headers, setHeaders] = useState('');
  const [body, setBody] = useState('');
  const check = useMutation({
    mutationFn: () =>
      callApi<SignatureCheck>('POST', `deliveries/${encodeURIComponent(id)}/verify`, {
        body: {
          id: headerIn(headers, 'webhook-id') ?? id,
          timestamp: headerIn(headers, 'webhook-timestamp') ?? '',
          signature: headerIn(headers, 'webhook-signature') ?? '',
          body,
        },
      }),
  });
  return (
    <details className="fold">
      <summary>Check a signature</summary>
      <form
        className="stack tight"
        onSubmit={event => {
          event.preventDefault();
          check.mutate();
        }}
      >
        <p className="small soft">Paste what your receiver got. Nothing of it is stored.</p>
        <div className="field-line">
          <label htmlFor={ids.headers}>Headers</label>
          <textarea
            id={ids.headers}
            className="input mono"
            required
            placeholder={'webhook-id: msg_…\nwebhook-timestamp: 1700000000\nwebhook-signature: v1,…'}
            value={headers}
            onChange={event => setHeaders(event.target.value)}
          />
        </div>
        <div className="field-line">
          <label htmlFor={ids.body}>Body, as it came</label>
          <textarea
            id={ids.body}
            className="input mono"
            required
            value={body}
            onChange={event => setBody(event.target.value)}
          />
        </div>
        <div className="row wrap">
          <button type="submit" className="button" disabled={check.isPending}>
            Check
          </button>
        </div>
        <p role="status" className={check.data || check.error ? `notice ${toneOf(check.data?.outcome)}` : ''}>
          {check.data?.says ?? check.error?.message}
        </p>
      </form>
    </details>
  );
}

/** An error of the call is shown like a signature that is not valid. */
const toneOf = (outcome: SignatureCheck['outcome'] | undefined): string =>
  outcome === 'current' ? 'ok' : outcome === 'previous' ? 'wait' : 'bad';

/** A header of pasted lines, in any case and with or without quotes, as logs write them. */
function headerIn(lines: string, name: string): string | undefined {
  const line = lines
    .split('\n')
    .find(each => each.trim().replace(/^['"]/, '').toLowerCase().startsWith(name));
  return line
    ?.slice(line.toLowerCase().indexOf(name) + name.length)
    .replace(/^['"]?\s*[:=]\s*/, '')
    .replace(/^['"]|['"],?\s*$/g, '')
    .trim();
}
