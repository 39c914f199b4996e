/** What surrounds the widget of every field of a form: its title, its description, its reset button and its fault. */
import type { ReactNode } from 'react';
import type { Schema } from '../api/input-schema.ts';
import { Sentence } from '../components/sentence.tsx';
import { useFault } from './faults.ts';
import { type Path, titleOf } from './input-value.ts';

/** What every field receives. */
export interface FieldProps {
  readonly schema: Schema;
  /** Where its value stands in the input. */
  readonly path: Path;
  /** Undefined: not set; the default of the model applies, and nothing is sent. */
  readonly value: unknown;
  /** Undefined unsets the field. */
  readonly change: (next: unknown) => void;
  readonly isRequired: boolean;
}

/** The last name of a path; empty for the path of the whole input. */
export const nameOf = (path: Path): string => String(path.at(-1) ?? '');

/** What a frame is drawn around. */
interface FrameProps {
  readonly field: FieldProps;
  /** The id of the widget; description and fault derive theirs from it. */
  readonly id: string;
  readonly children: ReactNode;
}

/** A frame with a label; `isGroup` where there are several widgets, which a legend names. */
export function FieldFrame({ isGroup = false, ...props }: FrameProps & { readonly isGroup?: boolean }) {
  return isGroup ? <GroupFrame {...props} /> : <LabelledFrame {...props} />;
}

/** For a single widget: its label, then the widget, then what is to be said of it. */
function LabelledFrame({ field, id, children }: FrameProps) {
  const fault = useFault(field.path);
  return (
    <div className="field" data-fault={fault !== undefined}>
      <div className="field-head">
        <label htmlFor={id} className="label">
          <FieldTitle field={field} />
        </label>
        <FieldTools field={field} />
      </div>
      {children}
      <FieldNotes field={field} id={id} fault={fault} />
    </div>
  );
}

/** For several widgets: a legend names them, because a label names one widget only. */
function GroupFrame({ field, id, children }: FrameProps) {
  const fault = useFault(field.path);
  return (
    <fieldset
      className="field"
      data-fault={fault !== undefined}
      aria-describedby={fault ? `${id}-fault` : undefined}
    >
      <legend className="visually-hidden">{titleOf(field.schema, nameOf(field.path))}</legend>
      <div className="field-head">
        <span className="label" aria-hidden="true">
          <FieldTitle field={field} />
        </span>
        <FieldTools field={field} />
      </div>
      {children}
      <FieldNotes field={field} id={id} fault={fault} />
    </fieldset>
  );
}

/** The title, with a star where the field is required. */
function FieldTitle({ field: { schema, path, isRequired } }: Pick<FrameProps, 'field'>) {
  return (
    <>
      {titleOf(schema, nameOf(path))}
      {isRequired && (
        <span className="must" title="required">
          *<span className="visually-hidden"> required</span>
        </span>
      )}
    </>
  );
}

/** A button that unsets an optional field, and the name that the field has in the JSON. */
export function FieldTools({
  field: { schema, path, value, change, isRequired },
}: Pick<FrameProps, 'field'>) {
  const name = nameOf(path);
  return (
    <span className="field-tools">
      {value !== undefined && !isRequired && (
        <button
          type="button"
          className="reset"
          onClick={() => change(undefined)}
          aria-label={`Reset ${titleOf(schema, name)}`}
        >
          reset
        </button>
      )}
      <code className="soft">{name}</code>
    </span>
  );
}

/** The description of a field and its fault; `described` refers to their ids. */
export function FieldNotes({
  field: { schema },
  id,
  fault,
}: Pick<FrameProps, 'field' | 'id'> & { readonly fault: string | undefined }) {
  return (
    <>
      {schema.description && (
        <p id={`${id}-says`} className="small soft">
          <Sentence text={schema.description} />
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} className="fault">
          {fault}
        </p>
      )}
    </>
  );
}

/** The attributes by which a screen reader finds the description and the fault of a widget. */
export const described = (id: string, { schema }: FieldProps, fault: string | undefined) => ({
  id,
  'aria-invalid': fault !== undefined,
  'aria-describedby':
    [schema.description && `${id}-says`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ') ||
    undefined,
});
