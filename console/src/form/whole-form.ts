import { createContext, useContext } from 'react';
import type { Schema } from '../api/shapes.ts';
import type { Members } from './input-value.ts';

/** The whole that a field stands in, for the few widgets that fill or read their neighbours. */
export interface WholeForm {
  readonly schema: Schema;
  readonly input: Members;
  readonly change: (next: Members) => void;
}

export const WholeFormContext = createContext<WholeForm>({ schema: {}, input: {}, change: () => {} });

/** The neighbours are known by their hints, whatever they are called. */
export function useNeighbours() {
  const whole = useContext(WholeFormContext);
  const nameOf = (widget: string): string | undefined =>
    Object.entries(whole.schema.properties ?? {}).find(([, member]) => member.widget === widget)?.[0];
  return {
    ...whole,
    nameOf,
    hinted: (widget: string): unknown => {
      const name = nameOf(widget);
      return name === undefined ? undefined : whole.input[name];
    },
  };
}
