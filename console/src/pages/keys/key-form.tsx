import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ask } from '../../api/ask.ts';
import { modelsQuery } from '../../api/queries.ts';
import type { KeyLine } from '../../api/shapes.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FormFault } from '../../parts/form-fault.tsx';
import { toast } from '../../parts/toasts.tsx';
import { ScopeChoice } from './scope-choice.tsx';

interface FormParts {
  readonly edited: KeyLine | 'new';
  readonly close: () => void;
  readonly tellMade: (made: KeyLine & { readonly secret: string }) => void;
}

/** Makes a key, or changes everything of one but its secret. */
export function KeyForm({ edited, close, tellMade }: FormParts) {
  const queries = useQueryClient();
  const before = edited === 'new' ? null : edited;
  const [models, setModels] = useState<readonly string[] | null>(before?.models ?? null);
  const [scopes, setScopes] = useState<readonly string[] | null>(before?.scopes ?? null);
  const save = useMutation({
    mutationFn: (body: Readonly<Record<string, unknown>>): Promise<KeyLine & { readonly secret?: string }> =>
      before === null
        ? ask<KeyLine & { readonly secret: string }>('POST', 'keys', { body })
        : ask<KeyLine>('PUT', `keys/${before.id}`, { body }),
    onSuccess: key => {
      void queries.invalidateQueries({ queryKey: ['keys'] });
      close();
      if (key.secret !== undefined) tellMade({ ...key, secret: key.secret });
      else toast('The key was changed.');
    },
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const count = (name: string) => (text(name) === '' ? null : Number(text(name)));
    save.mutate({
      ...(before === null && { user: text('user') }),
      name: text('name') || null,
      models,
      scopes,
      expires_at: text('expires') === '' ? null : `${text('expires')}T23:59:59Z`,
      jobs_at_once: count('at_once'),
      jobs_per_day: count('per_day'),
    });
  }

  return (
    <Dialog title={before === null ? 'New key' : 'Edit the key'} isOpen close={close}>
      <form className="stack" onSubmit={submit}>
        {before === null && (
          <div className="field-line">
            <label htmlFor="user">User</label>
            <input id="user" name="user" className="input" required maxLength={100} placeholder="web-app" />
            <p className="small soft">Whose jobs and files they are; a new name makes a new user.</p>
          </div>
        )}
        <div className="field-line">
          <label htmlFor="key-name">What it is for</label>
          <input
            id="key-name"
            name="name"
            className="input"
            maxLength={100}
            defaultValue={before?.name ?? ''}
          />
        </div>
        <ModelChoice chosen={models} choose={setModels} />
        <ScopeChoice chosen={scopes} choose={setScopes} isOfSomeModels={models !== null} />
        <div className="two">
          <div className="field-line">
            <label htmlFor="at_once">Unfinished jobs at once</label>
            <input
              id="at_once"
              name="at_once"
              className="input"
              type="number"
              min={1}
              placeholder="any number"
              defaultValue={before?.jobs_at_once ?? ''}
            />
          </div>
          <div className="field-line">
            <label htmlFor="per_day">Jobs a day (UTC)</label>
            <input
              id="per_day"
              name="per_day"
              className="input"
              type="number"
              min={1}
              placeholder="any number"
              defaultValue={before?.jobs_per_day ?? ''}
            />
          </div>
        </div>
        <div className="field-line">
          <label htmlFor="expires">Ends on</label>
          <input
            id="expires"
            name="expires"
            className="input"
            type="date"
            defaultValue={dateOf(before?.expires_at)}
          />
          <p className="small soft">Left empty, it never does.</p>
        </div>
        <FormFault message={save.error?.message} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={close}>
            Leave it
          </button>
          <button type="submit" className="button main" disabled={save.isPending}>
            {before === null ? 'Make the key' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const dateOf = (seconds: number | null | undefined): string =>
  seconds === null || seconds === undefined ? '' : new Date(seconds * 1_000).toISOString().slice(0, 10);

function ModelChoice({
  chosen,
  choose,
}: {
  readonly chosen: readonly string[] | null;
  readonly choose: (models: readonly string[] | null) => void;
}) {
  const models = useQuery(modelsQuery).data?.data ?? [];
  const toggle = (id: string) => {
    const before = chosen ?? [];
    const next = before.includes(id) ? before.filter(other => other !== id) : [...before, id];
    choose(next.length === 0 ? null : next);
  };
  return (
    <fieldset className="field">
      <legend className="label">Models</legend>
      <p className="small soft">
        {chosen === null ? 'All. Choose some to allow no other.' : `${chosen.length} allowed, and no other.`}
      </p>
      <div className="chips model-choice">
        {models.map(({ id }) => (
          <button
            key={id}
            type="button"
            className="chip"
            aria-pressed={chosen?.includes(id) ?? false}
            onClick={() => toggle(id)}
          >
            {id}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
