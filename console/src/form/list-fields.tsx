/** A list of items of one or several kinds. */
import { useId } from 'react';
import type { Schema } from '../api/input-schema.ts';
import { useField } from './field-component.ts';
import { FieldFrame, type FieldProps } from './field-frame.tsx';
import { initialValue, isMembers, type Members, titleOf } from './input-value.ts';

/** A draft may have anything in the place of a list. */
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The items, and a button for each kind of item that may be added. */
export function ListField(props: FieldProps) {
  const id = useId();
  const { schema, path, value, change } = props;
  const list = listOf(value);
  const items = schema.items ?? {};
  // Contract 2.1 and 2.2 have lists of several kinds of items; all others have one.
  const kinds = items.oneOf ?? [items];
  // Beyond it the gateway would refuse: the buttons are disabled instead.
  const most = schema.maxItems ?? Number.POSITIVE_INFINITY;
  // An empty list is unset: most models refuse one.
  const put = (next: readonly unknown[]) => change(next.length === 0 ? undefined : next);
  return (
    <FieldFrame field={props} id={id} isGroup>
      {list.map((item, index) => {
        const shape = shapeOf(item, kinds);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an item has no other name than its place.
          <div key={index} className="item">
            <div className="grow">
              <Item
                schema={shape}
                path={[...path, index]}
                value={item}
                change={next =>
                  put(list.map((other, at) => (at === index ? (next ?? initialValue(shape)) : other)))
                }
              />
            </div>
            <button
              type="button"
              className="button slim"
              aria-label={`Remove ${titleOf(shape, 'item')} ${index + 1}`}
              onClick={() => put(list.filter((_, at) => at !== index))}
            >
              Remove
            </button>
          </div>
        );
      })}
      <div className="row wrap">
        {kinds.map(kind => (
          <button
            key={titleOf(kind, 'item')}
            type="button"
            className="button slim"
            disabled={list.length >= most}
            onClick={() => put([...list, initialValue(kind)])}
          >
            + {titleOf(kind, kinds.length > 1 ? 'item' : titleOf(schema, 'item'))}
          </button>
        ))}
        {schema.maxItems !== undefined && (
          <span className="small soft number">
            {list.length} of {schema.maxItems}
          </span>
        )}
      </div>
    </FieldFrame>
  );
}

/** An item of one field, or the fields of an object without its constants. */
function Item({ schema, path, value, change }: Omit<FieldProps, 'isRequired'>) {
  const Field = useField();
  if (!schema.properties)
    return (
      <Field
        schema={schema}
        path={path}
        value={value === '' ? undefined : value}
        change={change}
        isRequired
      />
    );
  const required = schema.required ?? [];
  const members = isMembers(value) ? value : {};
  return (
    <div className="stack">
      {fieldsOf(schema).map(([name, member]) => (
        <Field
          key={name}
          schema={member}
          path={[...path, name]}
          value={members[name]}
          isRequired={required.includes(name)}
          change={next => change({ ...without(members, name), ...(next !== undefined && { [name]: next }) })}
        />
      ))}
    </div>
  );
}

/** Constants identify the kind of an item: they are set when it is added and never edited. */
const fieldsOf = ({ properties = {} }: Schema) =>
  Object.entries(properties).filter(([, member]) => member.const === undefined);

/** A copy that lacks one member. */
const without = (members: Members, name: string): Members =>
  Object.fromEntries(Object.entries(members).filter(([other]) => other !== name));

/** The kind of an item, by the constants of each kind; the first where none fits. */
function shapeOf(item: unknown, kinds: readonly Schema[]): Schema {
  const fits = (kind: Schema) =>
    Object.entries(kind.properties ?? {}).every(
      ([name, member]) => member.const === undefined || (isMembers(item) && item[name] === member.const),
    );
  return kinds.find(fits) ?? kinds[0] ?? {};
}
