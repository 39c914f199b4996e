/** The field of a new password, with the bounds that the gateway requires. */

/** `name` is the name of the field in the form. */
interface NewPasswordFieldProps {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  /** A sentence after the one about the length. */
  readonly advice?: string;
}

/** At least 10 and at most 200 characters, as the gateway requires; password managers offer a new one. */
export function NewPasswordField({ id, name, label, advice = '' }: NewPasswordFieldProps) {
  return (
    <div className="field-line">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="password"
        className="input"
        required
        minLength={10}
        maxLength={200}
        autoComplete="new-password"
      />
      <p className="small soft">At least ten characters.{advice}</p>
    </div>
  );
}
