/** The request as code, with a choice of language and a key that can be made for it. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi, gatewayRoot } from '../../api/call-api.ts';
import { modelQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Switcher } from '../../components/switcher.tsx';
import { toast, toastFailure } from '../../components/toasts.tsx';
import { useMay } from '../../shell/session.ts';
import { type Language, languagesFor, placeholderKey, snippet } from './snippets.ts';

/** Without a slash at its end. */
const gatewayUrl = gatewayRoot.href.replace(/\/$/, '');
/** A key of the Request tab expires by itself: it is for trying, not for an application. */
const keyLifetimeMs = 24 * 60 * 60_000;

/** In memory alone, for the whole tab: every snippet of a visit uses one key. */
let keyOfVisit: string | null = null;

/** Every snippet runs as it is copied, once it has a key. */
export function RequestCode({ model, input }: { readonly model: string; readonly input: unknown }) {
  const [language, setLanguage] = useState<Language>('cURL');
  const [key, setKey] = useState(keyOfVisit);
  // A job may be of a model that is no longer there.
  const described = useQuery(modelQuery(model)).data;
  const target = { url: gatewayUrl, key: key ?? placeholderKey, model, kind: described?.kind ?? 'video' };
  const text = snippet(language, target, input);
  return (
    <div className="stack tight">
      <div className="row wrap">
        <Switcher label="Language" options={languagesFor(described)} value={language} choose={setLanguage} />
        <span className="grow" />
        {key === null && <KeyButton onCreated={setKey} />}
        <CopyButton text={text} what={`the ${language} code`} />
      </div>
      <p className="small soft">
        {key === null
          ? 'Runs as copied, once it has a key.'
          : 'Runs as copied. The key in it expires in 24 hours; it is listed under Keys.'}
      </p>
      <Code text={text} label={`The request in ${language}`} />
    </div>
  );
}

/** Of the user of the console, so that files and jobs of the playground may stand in the input. For admins. */
function KeyButton({ onCreated }: { readonly onCreated: (secret: string) => void }) {
  const mayCreate = useMay('admin');
  const create = useMutation({
    mutationFn: () =>
      callApi<{ secret: string }>('POST', 'keys', {
        body: {
          of_console: true,
          name: 'Copied code of the console',
          expires_at: new Date(Date.now() + keyLifetimeMs).toISOString(),
        },
      }),
    onSuccess: ({ secret }) => {
      keyOfVisit = secret;
      onCreated(secret);
      toast('A key was created and stands in the code.');
    },
    onError: toastFailure,
  });
  if (!mayCreate) return null;
  return (
    <button type="button" className="button" disabled={create.isPending} onClick={() => create.mutate()}>
      Create a key for it
    </button>
  );
}
