/** The form of a new account: its lines for atelier.yaml, or written there where the file can be. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { AccountAddition, AccountKind, AccountKindList } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { accountKindsQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Loaded } from '../../components/page-states.tsx';
import { toast } from '../../components/toasts.tsx';
import { type AccountDraft, AccountFields } from './account-fields.tsx';

/** The dialog reads the forms when it is opened. */
export function AddProvider() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button main" onClick={() => setOpen(true)}>
        Add a provider …
      </button>
      {isOpen && <AddDialog close={() => setOpen(false)} />}
    </>
  );
}

function AddDialog({ close }: { readonly close: () => void }) {
  const query = useQuery(accountKindsQuery);
  return (
    <Dialog title="Add a provider" isOpen close={close} isWide>
      <Loaded query={query} what="the providers">
        {kinds => <AddForm kinds={kinds} close={close} />}
      </Loaded>
    </Dialog>
  );
}

const draftOf = ({ provider, models }: AccountKind): AccountDraft => ({
  provider,
  name: provider,
  settings: {},
  models: models.join(', '),
});

/** The body of both calls. */
const bodyOf = ({ models, ...draft }: AccountDraft) => ({
  ...draft,
  models: models.split(/[\s,]+/).filter(id => id !== ''),
});

function AddForm({ kinds, close }: { readonly kinds: AccountKindList; readonly close: () => void }) {
  const id = useId();
  const queries = useQueryClient();
  const [draft, setDraft] = useState<AccountDraft>(() => draftOf(kinds.data[0]!));
  const kind = kinds.data.find(({ provider }) => provider === draft.provider);
  const isWritable = kinds.not_writable === null;
  const add = useMutation({
    mutationFn: () => callApi<AccountAddition>('POST', 'providers', { body: bodyOf(draft) }),
    onSuccess({ written, account, says }) {
      if (!written) return;
      toast(`${account} is in use. ${says ?? ''}`);
      close();
    },
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <div className="field-line">
        <label htmlFor={id}>Provider</label>
        <select
          id={id}
          className="input"
          value={draft.provider}
          onChange={event => {
            const next = kinds.data.find(({ provider }) => provider === event.target.value);
            if (next) setDraft(draftOf(next));
            add.reset();
          }}
        >
          {kinds.data.map(({ provider }) => (
            <option key={provider}>{provider}</option>
          ))}
        </select>
      </div>
      {kind?.reason != null ? (
        <p className="notice">{kind.reason}</p>
      ) : (
        <>
          {kind && <AccountFields kind={kind} draft={draft} change={setDraft} canPaste={isWritable} />}
          {kind && <Preview kind={kind} draft={draft} file={kinds.file} />}
        </>
      )}
      {!isWritable && (
        <p className="small soft">
          {kinds.file} cannot be written by the gateway. Add the lines there, then press Reload.
        </p>
      )}
      <Result add={add} />
      <div className="dialog-actions">
        <button type="button" className="button" onClick={close}>
          Cancel
        </button>
        {isWritable && kind?.reason === null && (
          <button type="submit" className="button main" disabled={add.isPending}>
            {add.isPending ? 'Testing …' : 'Test and write'}
          </button>
        )}
      </div>
    </form>
  );
}

/** Why nothing was written; read out when it appears. */
function Result({
  add,
}: {
  readonly add: { readonly data: AccountAddition | undefined; readonly error: Error | null };
}) {
  const faults = add.error ? [add.error.message] : (add.data?.faults ?? []);
  const refused = add.data?.written === false && add.data.says !== null ? [add.data.says] : [];
  const sentences = [...faults, ...refused];
  return (
    <div role="status">
      {sentences.length > 0 && (
        <div className="notice bad">
          <strong>Nothing was written.</strong>
          <ul>
            {sentences.map(sentence => (
              <li key={sentence} className="small anywhere">
                {sentence}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** The lines with the usual variable in place of a secret: what is pasted above is neither sent nor shown. */
function Preview({
  kind,
  draft,
  file,
}: {
  readonly kind: AccountKind;
  readonly draft: AccountDraft;
  readonly file: string;
}) {
  const plain = kind.fields.filter(({ isSecret }) => !isSecret).map(({ name }) => name);
  const settings = Object.fromEntries(plain.map(name => [name, draft.settings[name] ?? '']));
  const shown = bodyOf({ ...draft, settings });
  const query = useQuery({
    queryKey: ['provider-preview', shown],
    queryFn: ({ signal }) =>
      callApi<{ readonly yaml: string }>('POST', 'provider-kinds/preview', { body: shown, signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const yaml = query.data?.yaml ?? '';
  return (
    <section className="stack tight">
      <div className="row wrap">
        <h3 className="grow">Lines for {file.split('/').at(-1)}</h3>
        <CopyButton text={yaml} what="the lines" />
      </div>
      <Code text={yaml} label="Lines for the settings" />
    </section>
  );
}
