/** The faults of an input by field, read from a refusal of the gateway. */
import { createContext, useContext } from 'react';
import type { ApiError } from '../api/call-api.ts';
import { type Path, pathText } from './input-value.ts';

/** The reason by the path of the field, as `settings.duration`. */
export type Faults = ReadonlyMap<string, string>;

/** One map for every form without faults, so that fields are not drawn again. */
export const noFaults: Faults = new Map();
/** The faults of the form around a field. */
export const FaultsContext = createContext<Faults>(noFaults);

/** The fault of one field; undefined where it has none. */
export const useFault = (path: Path): string | undefined => useContext(FaultsContext).get(pathText(path));

/** The gateway lists all faults in one sentence, `path: reason; path: reason`, and the paths in a header. */
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

/** -1 where the sentence does not name the field. */
function findStart(message: string, field: string): number {
  if (message.startsWith(`${field}: `)) return 0;
  const at = message.indexOf(`; ${field}: `);
  return at < 0 ? -1 : at + 2;
}

/** How many faults are at or below a path, for the badge of a fold. */
export const countBelow = (faults: Faults, path: Path): number => {
  const begin = pathText(path);
  return [...faults.keys()].filter(key => key === begin || key.startsWith(`${begin}.`)).length;
};
