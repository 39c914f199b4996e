/** The fields of a new account: its name, what its provider asks for, and its models. */
import { useId } from 'react';
import type { AccountKind } from '../../api/answers.ts';

/** What the form holds; the name of an account is that of its provider until it is typed. */
export interface AccountDraft {
  readonly provider: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Ids with commas between. */
  readonly models: string;
}

/** Without `canPaste` secrets are not asked for: they would go nowhere. */
export function AccountFields({
  kind,
  draft,
  change,
  canPaste,
}: {
  readonly kind: AccountKind;
  readonly draft: AccountDraft;
  readonly change: (draft: AccountDraft) => void;
  readonly canPaste: boolean;
}) {
  const fields = kind.fields.filter(({ isSecret }) => canPaste || !isSecret);
  return (
    <>
      {fields.map(field => (
        <Field
          key={field.name}
          label={field.title}
          hint={
            field.isSecret
              ? `${field.where}. Stored in a file of its own, never in the settings.`
              : field.where
          }
          placeholder={field.isSecret ? '' : field.example}
          isSecret={field.isSecret}
          isRequired={!field.isOptional}
          value={draft.settings[field.name] ?? ''}
          change={value => change({ ...draft, settings: { ...draft.settings, [field.name]: value } })}
        />
      ))}
      <Field
        label="Models"
        hint="Ids with commas between: each gets a route to the account. Routes with options are added in the file."
        placeholder=""
        value={draft.models}
        change={models => change({ ...draft, models })}
      />
      {kind.trial && (
        <p className="small soft">
          The cheapest real job: {kind.trial.model}. It costs {kind.trial.cost}.
        </p>
      )}
      <Field
        label="Name of the account"
        hint="Lower-case letters, digits, - and _; it is in logs and metrics."
        placeholder=""
        isRequired
        value={draft.name}
        change={name => change({ ...draft, name })}
      />
    </>
  );
}

/** One line of text with its hint. */
function Field({
  label,
  hint,
  placeholder,
  value,
  change,
  isSecret = false,
  isRequired = false,
}: {
  readonly label: string;
  readonly hint: string;
  readonly placeholder: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly isSecret?: boolean;
  readonly isRequired?: boolean;
}) {
  const id = useId();
  return (
    <div className="field-line">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type={isSecret ? 'password' : 'text'}
        autoComplete="off"
        spellCheck={false}
        required={isRequired}
        aria-describedby={`${id}-hint`}
        placeholder={placeholder}
        value={value}
        onChange={event => change(event.target.value)}
      />
      <p id={`${id}-hint`} className="small soft">
        {hint}
      </p>
    </div>
  );
}
