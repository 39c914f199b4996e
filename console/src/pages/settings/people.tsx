/** The people who may log in: add, change role, remove. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Person, Role } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { peopleQuery } from '../../api/queries.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormFault } from '../../components/form-fault.tsx';
import { NewPasswordField } from '../../components/new-password-field.tsx';
import { Loaded } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { toast, toastFailure } from '../../components/toasts.tsx';

/** From the least to the most: each role may do what those before it may. */
const roles: readonly { readonly role: Role; readonly says: string }[] = [
  { role: 'viewer', says: 'reads' },
  { role: 'developer', says: 'reads, runs, cancels, redelivers' },
  { role: 'admin', says: 'everything' },
];

/** For admins. The admin token always works beside these accounts. */
export function People() {
  const query = useQuery(peopleQuery);
  // The dialog is mounted anew for each person, so that it never shows the former one's password.
  const [isAdding, setAdding] = useState(false);
  return (
    <section className="card">
      <div className="card-head">
        <h2>People</h2>
        <button type="button" className="button slim" onClick={() => setAdding(true)}>
          Add a person
        </button>
      </div>
      <Loaded query={query} what="people">
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft">No accounts yet: only the admin token can log in.</p>
          ) : (
            <ul className="stack tight">
              {data.map(person => (
                <PersonLine key={person.id} person={person} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <AddPerson close={() => setAdding(false)} />}
    </section>
  );
}

/** A change of role ends the sessions of the person. The identity provider gives its people their roles. */
function PersonLine({ person }: { readonly person: Person }) {
  const queries = useQueryClient();
  // Both acts refresh the list, also after a failure.
  const settled = {
    onError: toastFailure,
    onSettled: () => queries.invalidateQueries({ queryKey: ['people'] }),
  };
  const change = useMutation({
    // Without a confirmation: the former role can be chosen again.
    mutationFn: (role: string) => callApi('PUT', `people/${person.id}`, { body: { role } }),
    onSuccess: () => toast('Role changed; the person has to log in again.'),
    ...settled,
  });
  const remove = useMutation({
    mutationFn: () => callApi('DELETE', `people/${person.id}`),
    onSuccess: () =>
      toast(
        person.login === 'oidc'
          ? `Removed; ${person.name} comes back with the next login by the identity provider.`
          : `${person.name} can no longer log in.`,
      ),
    ...settled,
  });
  return (
    <li className="row wrap">
      <span className="grow">
        {person.name}{' '}
        <span className="small soft">
          added <RelativeTime at={person.created_at} />
        </span>
      </span>
      {person.login === 'oidc' ? (
        <span className="small soft">{person.role}, by the groups of the identity provider</span>
      ) : (
        <select
          className="input slim-select"
          aria-label={`Role of ${person.name}`}
          value={person.role}
          onChange={event => change.mutate(event.target.value)}
        >
          {roles.map(({ role, says }) => (
            <option key={role} value={role}>
              {role}: {says}
            </option>
          ))}
        </select>
      )}
      <button
        type="button"
        className="button slim danger"
        disabled={remove.isPending}
        onClick={() => remove.mutate()}
      >
        Remove
      </button>
    </li>
  );
}

/** The password is set here and passed on by other means. */
function AddPerson({ close }: { readonly close: () => void }) {
  const queries = useQueryClient();
  const add = useMutation({
    mutationFn: (body: unknown) => callApi<Person>('POST', 'people', { body }),
    onSuccess: ({ name }) => {
      void queries.invalidateQueries({ queryKey: ['people'] });
      toast(`${name} can log in.`);
      close();
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // The names of the fields are those of the body.
    add.mutate(Object.fromEntries(new FormData(event.currentTarget)));
  }
  return (
    <Dialog title="Add a person" isOpen close={close}>
      <form className="stack" onSubmit={submit}>
        <div className="field-line">
          <label htmlFor="person-name">Name</label>
          <input id="person-name" name="name" className="input" required maxLength={100} autoComplete="off" />
        </div>
        <NewPasswordField
          id="person-password"
          name="password"
          label="Password"
          advice=" Share it with this person only."
        />
        <div className="field-line">
          <label htmlFor="person-role">Role</label>
          <select id="person-role" name="role" className="input">
            {roles.map(({ role, says }) => (
              <option key={role} value={role}>
                {role}: {says}
              </option>
            ))}
          </select>
        </div>
        <FormFault message={add.error?.message} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button main" disabled={add.isPending}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}
