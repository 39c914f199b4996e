/** The dialogs of budgets: a new project, a tag, a limit, a top-up. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { ProjectLine, TagBudgetLine } from '../../api/answers.ts';
import { callApi } from '../../api/call-api.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormFault } from '../../components/form-fault.tsx';
import { toast } from '../../components/toasts.tsx';

/** A project or a tag with its balance. */
export type BudgetLine = ProjectLine | TagBudgetLine;

/** Every dialog can be left without an act. */
interface FormProps {
  readonly close: () => void;
}

/** Name and limit. */
export function ProjectForm({ close }: FormProps) {
  return (
    <MoneyForm
      title="New project"
      action="Create project"
      done="The project was made."
      close={close}
      send={form => callApi('POST', 'projects', { body: { name: textOf(form, 'name'), ...limitOf(form) } })}
    >
      <TextField name="name" label="Name" placeholder="web-shop" />
      <LimitFields />
    </MoneyForm>
  );
}

/** A tag needs no creation: its limit is enough. */
export function TagForm({ close }: FormProps) {
  return (
    <MoneyForm
      title="Budget of a tag"
      action="Set the limit"
      done="The budget was made."
      close={close}
      send={form =>
        callApi('PUT', `tags/${encodeURIComponent(textOf(form, 'tag'))}/limit`, { body: limitOf(form) })
      }
    >
      <TextField name="tag" label="Tag" placeholder="campaign=spring" />
      <LimitFields />
    </MoneyForm>
  );
}

/** What is spent and held stays. */
export function LimitForm({ budget, close }: FormProps & { readonly budget: BudgetLine }) {
  return (
    <MoneyForm
      title={`Limit of ${budget.name}`}
      action="Set the limit"
      done="The limit was set."
      close={close}
      send={form =>
        callApi('PUT', `${budget.object}s/${encodeURIComponent(budget.name)}/limit`, { body: limitOf(form) })
      }
    >
      <LimitFields limit={budget.limit} monthly={budget.monthly} />
    </MoneyForm>
  );
}

/** Adds to the limit; of a monthly one, to that of this month. */
export function TopUpForm({ budget, close }: FormProps & { readonly budget: BudgetLine }) {
  // One key for each opened dialog: a second press, or a retry by the network, adds nothing.
  const [key] = useState(() => crypto.randomUUID());
  return (
    <MoneyForm
      title={`Top up ${budget.name}`}
      action="Top up"
      done="The amount was added."
      close={close}
      send={form =>
        callApi('POST', 'money/entries', {
          body: {
            [budget.object]: budget.name,
            kind: 'top_up',
            amount: textOf(form, 'amount'),
            reason: textOf(form, 'reason'),
            idempotency_key: key,
          },
        })
      }
    >
      <TextField name="amount" label="Amount" placeholder="5.00" />
      <TextField name="reason" label="Reason" placeholder="invoice 7" />
    </MoneyForm>
  );
}

/** A dialog with one request, which shows its refusal. */
function MoneyForm({
  title,
  action,
  done,
  close,
  send,
  children,
}: FormProps & {
  readonly title: string;
  /** The label of its button. */
  readonly action: string;
  /** Said when it is done. */
  readonly done: string;
  readonly send: (form: FormData) => Promise<unknown>;
  readonly children: ReactNode;
}) {
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: send,
    onSuccess: () => {
      for (const list of ['projects', 'tags']) void queries.invalidateQueries({ queryKey: [list] });
      toast(done);
      close();
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    save.mutate(new FormData(event.currentTarget));
  }
  return (
    <Dialog title={title} isOpen close={close}>
      <form className="stack" onSubmit={submit}>
        {children}
        <FormFault message={save.error?.message} />
        <div className="dialog-actions">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button main" disabled={save.isPending}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A field of the form, without space around it; empty where the form lacks it. */
const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

/** An empty limit is none. */
const limitOf = (form: FormData) => {
  const limit = textOf(form, 'limit') || null;
  return { limit, monthly: limit !== null && form.get('monthly') !== null };
};

/** A required line. Amounts are texts, which the gateway reads and checks. */
function TextField({
  name,
  label,
  placeholder,
}: {
  readonly name: string;
  readonly label: string;
  readonly placeholder: string;
}) {
  return (
    <div className="field-line">
      <label htmlFor={`money-${name}`}>{label}</label>
      <input id={`money-${name}`} name={name} className="input" required placeholder={placeholder} />
    </div>
  );
}

/** An amount as the gateway reads it, and whether it is one of each month. */
function LimitFields({
  limit = null,
  monthly = false,
}: {
  readonly limit?: string | null;
  readonly monthly?: boolean;
}) {
  return (
    <>
      <div className="field-line">
        <label htmlFor="money-limit">Limit</label>
        <input
          id="money-limit"
          name="limit"
          className="input"
          inputMode="decimal"
          placeholder="no limit"
          defaultValue={limit ?? ''}
        />
      </div>
      <label className="row">
        <input type="checkbox" name="monthly" defaultChecked={monthly} /> of each calendar month (UTC)
      </label>
    </>
  );
}
