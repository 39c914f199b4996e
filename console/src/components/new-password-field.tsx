interface NewPasswordFieldProps {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  /** Stands below the field, behind how long it has to be. */
  readonly advice?: string;
}

/** A password that is being chosen, within the bounds that the gateway holds it to. */
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
