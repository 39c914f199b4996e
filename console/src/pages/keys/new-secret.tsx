/** The dialog that shows the secret of a new key, once. */
import type { KeyLine } from '../../api/answers.ts';
import { gatewayRoot } from '../../api/call-api.ts';
import { Code } from '../../components/code.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';

/** The gateway stores a hash only, so the secret cannot be shown again. */
export function NewSecret({
  made,
  close,
}: {
  readonly made: KeyLine & { readonly secret: string };
  readonly close: () => void;
}) {
  const env = `ATELIER_URL=${gatewayRoot.href.replace(/\/$/, '')}\nATELIER_API_KEY=${made.secret}`;
  return (
    <Dialog title={`A key for ${made.user}`} isOpen close={close}>
      <p className="notice wait">It is shown this once. Copy it now: only its hash is kept.</p>
      <Code text={made.secret} label="The secret" />
      <div className="row wrap">
        <CopyButton text={made.secret} what="the secret" words="Copy the key" />
        <CopyButton text={env} what="the environment" words="Copy as .env" />
      </div>
      <div className="dialog-actions">
        <button type="button" className="button main" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
