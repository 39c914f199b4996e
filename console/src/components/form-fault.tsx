/** The refusal of a form, above its buttons. */

/** The sentence of a refusal; nothing while `message` is empty. */
export function FormFault({ message }: { readonly message: string | null | undefined }) {
  if (message === null || message === undefined) return null;
  return (
    <p className="notice bad" role="alert">
      {message}
    </p>
  );
}
