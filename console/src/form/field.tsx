/** Chooses the widget of a field by its schema and its hints, never by its name. */
import type { ComponentType } from 'react';
import type { Schema } from '../api/input-schema.ts';
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
import { VoiceField } from './voice-field.tsx';

/** A field of any kind. Fields that contain fields get this component by `useField`. */
export function Field(props: FieldProps) {
  const Widget = widgetOf(props.schema);
  return <Widget {...props} />;
}

/** Widgets that a hint of the catalog names, whatever the type of the field. */
const customWidgets: Readonly<Record<string, ComponentType<FieldProps>>> = {
  job: JobField,
  mask: MaskField,
  shots: ShotsField,
  parameters: ParametersField,
  voice: VoiceField,
};

/** A text that may be this long gets several lines. */
const longText = 300;

/** In order: a hint of the catalog, media, a fixed set of values, an object, then the JSON type. */
function widgetOf(given: Schema): ComponentType<FieldProps> {
  const schema = simple(given);
  const custom = schema.widget === undefined ? undefined : customWidgets[schema.widget];
  if (custom && (schema.widget !== 'shots' || schema.type === 'array')) return custom;
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

/** Whether a text gets several lines. */
const isLong = ({ widget, maxLength = 0, format }: Schema): boolean =>
  widget === 'textarea' || widget === 'shots' || (maxLength >= longText && format !== 'uri');
