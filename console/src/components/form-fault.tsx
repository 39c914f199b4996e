/** Why a form was not taken; nothing while `message` is null. */
export function FormFault({ message }: { readonly message: string | null | undefined }) {
  if (message === null || message === undefined) return null;
  return (
    <p className="notice bad" role="alert">
      {message}
    </p>
  );
}
