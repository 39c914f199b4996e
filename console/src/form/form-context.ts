/** The whole input, for the few widgets that read or fill other fields. */
import { createContext, useContext } from 'react';
import type { Schema } from '../api/input-schema.ts';
import type { Members } from './input-value.ts';

/** The input that is edited, with its schema. */
export interface FormState {
  readonly schema: Schema;
  readonly input: Members;
  readonly change: (next: Members) => void;
}

/** Provided by the form; without a provider there are no other fields. */
export const FormContext = createContext<FormState>({ schema: {}, input: {}, change: () => {} });

/** Other fields of the input, found by their widget hint: their names differ from model to model. */
export function useOtherFields() {
  const whole = useContext(FormContext);
  const nameByHint = (widget: string): string | undefined =>
    Object.entries(whole.schema.properties ?? {}).find(([, member]) => member.widget === widget)?.[0];
  return {
    ...whole,
    /** The name of the field with that hint; undefined where the model has none. */
    nameByHint,
    valueByHint: (widget: string): unknown => {
      const name = nameByHint(widget);
      return name === undefined ? undefined : whole.input[name];
    },
  };
}
