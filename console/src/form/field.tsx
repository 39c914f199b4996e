import type { ComponentType } from 'react';
import type { Schema } from '../api/answers.ts';
import { ChoiceField, SwitchField } from './choice-fields.tsx';
import type { FieldProps } from './field-frame.tsx';
import { simple } from './input-value.ts';
import { JobField } from './job-field.tsx';
import { ListField } from './list-fields.tsx';
import { MaskField } from './mask-field.tsx';
import { MediaField } from './media-field.tsx';
import { NumberField } from './number-field.tsx';
import { ObjectField } from './object-field.tsx';
import { ParametersField } from './parameters-field.tsx';
import { ShotsField } from './shots-field.tsx';
import { DigitsField, LongTextField, NumberListField, TextField } from './text-fields.tsx';

/** The widget of a field, chosen by its schema and its hints and never by its name. */
export function Field(props: FieldProps) {
  const Widget = widgetOf(props.schema);
  return <Widget {...props} />;
}

/** Fields that one draws otherwise than their type says. */
const ownWidgets: Readonly<Record<string, ComponentType<FieldProps>>> = {
  job: JobField,
  mask: MaskField,
  shots: ShotsField,
  parameters: ParametersField,
};

/** A text that may be as long as this is written into more than one line. */
const longText = 300;

function widgetOf(given: Schema): ComponentType<FieldProps> {
  const schema = simple(given);
  const own = schema.widget === undefined ? undefined : ownWidgets[schema.widget];
  if (own && (schema.widget !== 'shots' || schema.type === 'array')) return own;
  if (schema.media) return MediaField;
  if (schema.enum) return ChoiceField;
  if (schema.properties) return ObjectField;
  switch (schema.type) {
    case 'array':
      return schema.items?.type === 'number' ? NumberListField : ListField;
    case 'boolean':
      return SwitchField;
    case 'integer':
      return schema.format === 'int64' ? DigitsField : NumberField;
    case 'number':
      return NumberField;
    default:
      return isLong(schema) ? LongTextField : TextField;
  }
}

const isLong = ({ widget, maxLength = 0, format }: Schema): boolean =>
  widget === 'textarea' || widget === 'shots' || (maxLength >= longText && format !== 'uri');
