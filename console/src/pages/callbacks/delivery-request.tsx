/** The request of a callback as it is sent now: headers, body, and a command that sends it. */
import type { DeliveryDetail } from '../../api/answers.ts';
import { Code } from '../../components/code.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { formatBytes } from '../../components/format.ts';
import { useMay } from '../../shell/session.ts';
import { curlOf } from './curl.ts';

/** A body that is not shown is one of many bytes, or contains a whole sound. */
export function DeliveryRequest({ delivery: { state, request } }: { readonly delivery: DeliveryDetail }) {
  const maySend = useMay('developer');
  if (request === null)
    return <p className="soft small">Nothing is sent any more: the job has ended, or was deleted.</p>;
  const { url, headers, body, body_bytes } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section className="stack tight">
      <div className="row wrap">
        <h3 className="grow">Request</h3>
        {body !== null && maySend && (
          <CopyButton text={curlOf({ url, headers, body })} what="this request" words="Copy as cURL" />
        )}
      </div>
      <p className="small soft">
        {state === 'waiting' ? 'What the next attempt sends' : 'What a redelivery would send'}: made and
        signed now. Receivers accept the signature for five minutes.
      </p>
      <Code text={[`POST ${url}`, ...lines].join('\n')} label="Headers of the request" />
      {body === null ? (
        <p className="soft small">
          The body is not shown
          {body_bytes === null ? ': it contains a sound' : ` (${formatBytes(body_bytes)})`}.
        </p>
      ) : (
        <>
          <Code text={indented(body)} label="Body of the request" />
          <div className="row">
            <CopyButton text={body} what="the body as it is sent" words="Copy the body" />
          </div>
        </>
      )}
    </section>
  );
}

/** For reading alone: what is sent has no spaces. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
