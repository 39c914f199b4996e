import { createContext, useContext } from 'react';
import type { ApiError } from '../api/call-api.ts';
import { type Path, pathText } from './input-value.ts';

/** What is wrong with an input, by the path of the field. */
export type Faults = ReadonlyMap<string, string>;

export const noFaults: Faults = new Map();
export const FaultsContext = createContext<Faults>(noFaults);

export const useFault = (path: Path): string | undefined => useContext(FaultsContext).get(pathText(path));

/** A refusal names every fault in one string, `path: reason; path: reason`, and the paths beside it. */
export function faultsOf({ message, fields }: ApiError): Faults {
  const starts = fields
    .map(field => ({ field, at: findStart(message, field) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at);
  return new Map(
    starts.map(({ field, at }, index) => {
      const end = starts[index + 1]?.at ?? message.length;
      return [field, message.slice(at + field.length + 2, end).replace(/;\s*$/, '')];
    }),
  );
}

function findStart(message: string, field: string): number {
  if (message.startsWith(`${field}: `)) return 0;
  const at = message.indexOf(`; ${field}: `);
  return at < 0 ? -1 : at + 2;
}

/** How many faults stand at or below a path, to mark what is folded. */
export const countBelow = (faults: Faults, path: Path): number => {
  const begin = pathText(path);
  return [...faults.keys()].filter(key => key === begin || key.startsWith(`${begin}.`)).length;
};
