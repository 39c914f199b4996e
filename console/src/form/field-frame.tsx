import type { ReactNode } from 'react';
import type { Schema } from '../api/shapes.ts';
import { useFault } from './faults.ts';
import { type Path, titleOf } from './input-value.ts';

/** What every field is given. */
export interface FieldParts {
  readonly schema: Schema;
  readonly path: Path;
  readonly value: unknown;
  /** Undefined: as if nobody had touched it. */
  readonly change: (next: unknown) => void;
  readonly isRequired: boolean;
}

export const nameOf = (path: Path): string => String(path.at(-1) ?? '');

/** Name, words and faults around the widget of one field. */
export function FieldFrame({
  parts,
  id,
  isGroup = false,
  children,
}: {
  readonly parts: FieldParts;
  readonly id: string;
  /** Several widgets: named by a legend. */
  readonly isGroup?: boolean;
  readonly children: ReactNode;
}) {
  const { schema, path, value, change, isRequired } = parts;
  const fault = useFault(path);
  const name = nameOf(path);
  const title = (
    <>
      {titleOf(schema, name)}
      {isRequired && (
        <span className="must" title="required">
          *<span className="visually-hidden"> required</span>
        </span>
      )}
    </>
  );
  const body = (
    <>
      {children}
      {schema.description && (
        <p id={`${id}-says`} className="small soft">
          {schema.description}
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} className="fault">
          {fault}
        </p>
      )}
    </>
  );
  const tools = (
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
  if (isGroup) {
    return (
      <fieldset
        className="field"
        data-fault={fault !== undefined}
        aria-describedby={fault ? `${id}-fault` : undefined}
      >
        <legend className="visually-hidden">{titleOf(schema, name)}</legend>
        <div className="field-head">
          <span className="label" aria-hidden="true">
            {title}
          </span>
          {tools}
        </div>
        {body}
      </fieldset>
    );
  }
  return (
    <div className="field" data-fault={fault !== undefined}>
      <div className="field-head">
        <label htmlFor={id} className="label">
          {title}
        </label>
        {tools}
      </div>
      {body}
    </div>
  );
}

/** What a widget says of itself to a screen reader. */
export const described = (id: string, { schema }: FieldParts, fault: string | undefined) => ({
  id,
  'aria-invalid': fault !== undefined,
  'aria-describedby':
    [schema.description && `${id}-says`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ') ||
    undefined,
});
