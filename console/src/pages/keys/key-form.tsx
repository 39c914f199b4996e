/** The dialog that creates a key, or changes one: name, models, scopes, limits and expiry. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { KeyLine } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormFault } from '../../components/form-fault.tsx';
import { toast } from '../../components/toasts.tsx';
import { BudgetFields, budgetOf } from './budget-fields.tsx';
import { ModelChoice } from './model-choice.tsx';
import { ScopeChoice } from './scope-choice.tsx';

/** Which key, and what happens when the dialog ends. */
interface FormProps {
  /** The key that is changed; `new` makes one. */
  readonly edited: KeyLine | 'new';
  readonly close: () => void;
  /** Receives a new key with its secret, which the gateway never shows again. */
  readonly onCreated: (made: KeyLine & { readonly secret: string }) => void;
}

/** Creates a key, or changes everything of one but its user and its secret. */
export function KeyForm({ edited, close, onCreated }: FormProps) {
  // The initial values of the fields; uncontrolled, because only the sent form matters.
  const before = edited === 'new' ? null : edited;
  const [models, setModels] = useState<readonly string[] | null>(before?.models ?? null);
  const [scopes, setScopes] = useState<readonly string[] | null>(before?.scopes ?? null);
  const save = useSaveKey(before, key => {
    close();
    if (key.secret !== undefined) onCreated({ ...key, secret: key.secret });
    else toast('The key was changed.');
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const { user, ...changes } = keyOf(form);
    // Null for models or scopes lifts a limit; leaving them out of a PUT would keep it.
    save.mutate({ ...(before === null && { user, ...budgetOf(form) }), ...changes, models, scopes });
  }

  return (
    <Dialog title={before === null ? 'New key' : 'Edit the key'} isOpen close={close}>
      <form className="stack" onSubmit={submit}>
        {before === null && <UserField />}
        <NameField name={before?.name} />
        <ModelChoice chosen={models} choose={setModels} />
        <ScopeChoice chosen={scopes} choose={setScopes} isOfSomeModels={models !== null} />
        <div className="two">
          <LimitField name="at_once" label="Unfinished jobs at once" limit={before?.jobs_at_once} />
          <LimitField name="per_day" label="Jobs a day (UTC)" limit={before?.jobs_per_day} />
        </div>
        {before === null && <BudgetFields />}
        <ExpiryField expiresAt={before?.expires_at} />
        <FormFault message={save.error?.message} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button main" disabled={save.isPending}>
            {before === null ? 'Create key' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Only a new key comes with its secret. */
type SavedKey = KeyLine & { readonly secret?: string };

/** POST for a new key, PUT for a changed one. */
function useSaveKey(before: KeyLine | null, onSaved: (key: SavedKey) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Readonly<Record<string, unknown>>) =>
      before === null
        ? callApi<SavedKey>('POST', 'keys', { body })
        : callApi<SavedKey>('PUT', `keys/${before.id}`, { body }),
    onSuccess: key => {
      // Not awaited: the dialog closes at once, and the list follows.
      void queries.invalidateQueries({ queryKey: ['keys'] });
      onSaved(key);
    },
  });
}

/** The body of the request, without models and scopes; an empty field means no name, no limit or no end. */
function keyOf(form: FormData) {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const count = (name: string) => (text(name) === '' ? null : Number(text(name)));
  return {
    user: text('user'),
    name: text('name') || null,
    // A key is valid to the end of the chosen day.
    expires_at: text('expires') === '' ? null : `${text('expires')}T23:59:59Z`,
    jobs_at_once: count('at_once'),
    jobs_per_day: count('per_day'),
  };
}

/** Of a new key only: a key never changes its owner. */
function UserField() {
  return (
    <div className="field-line">
      <label htmlFor="user">User</label>
      <input id="user" name="user" className="input" required maxLength={100} placeholder="web-app" />
      <p className="small soft">The owner of its jobs and files. A new name makes a new user.</p>
    </div>
  );
}

/** A note for people; applications are known by the user of their key. */
function NameField({ name }: { readonly name: string | null | undefined }) {
  return (
    <div className="field-line">
      <label htmlFor="key-name">What it is for</label>
      <input id="key-name" name="name" className="input" maxLength={100} defaultValue={name ?? ''} />
    </div>
  );
}

/** A whole number from 1, or nothing for no limit. */
function LimitField({
  name,
  label,
  limit,
}: {
  /** Of the field in the form, which `keyOf` reads. */
  readonly name: string;
  readonly label: string;
  /** Absent: no limit. */
  readonly limit: number | null | undefined;
}) {
  return (
    <div className="field-line">
      <label htmlFor={name}>{label}</label>
      <input
        id={name}
        name={name}
        className="input"
        type="number"
        min={1}
        placeholder="any number"
        defaultValue={limit ?? ''}
      />
    </div>
  );
}

/** Unix seconds, or nothing for a key without an end. */
function ExpiryField({ expiresAt }: { readonly expiresAt: number | null | undefined }) {
  return (
    <div className="field-line">
      <label htmlFor="expires">Ends on</label>
      <input id="expires" name="expires" className="input" type="date" defaultValue={dateOf(expiresAt)} />
      <p className="small soft">Left empty, it never does.</p>
    </div>
  );
}

/** Unix seconds as the value of a date input, in UTC. */
const dateOf = (seconds: number | null | undefined): string =>
  seconds === null || seconds === undefined ? '' : new Date(seconds * 1_000).toISOString().slice(0, 10);
