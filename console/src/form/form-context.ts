import { createContext, useContext } from 'react';
import type { Schema } from '../api/answers.ts';
import type { Members } from './input-value.ts';

/** The whole that a field stands in, for the few widgets that fill or read their neighbours. */
export interface FormState {
  readonly schema: Schema;
  readonly input: Members;
  readonly change: (next: Members) => void;
}

export const FormContext = createContext<FormState>({ schema: {}, input: {}, change: () => {} });

/** The neighbours are known by their hints, whatever they are called. */
export function useOtherFields() {
  const whole = useContext(FormContext);
  const nameByHint = (widget: string): string | undefined =>
    Object.entries(whole.schema.properties ?? {}).find(([, member]) => member.widget === widget)?.[0];
  return {
    ...whole,
    nameByHint,
    valueByHint: (widget: string): unknown => {
      const name = nameByHint(widget);
      return name === undefined ? undefined : whole.input[name];
    },
  };
}
