/** The unsent input of each model, kept in this browser. */
import { parseJson, toJson } from '../../api/lossless-json.ts';
import { isMembers, type Members } from '../../form/input-value.ts';

/** A draft for each model, in this browser alone. */
const storageKeyOf = (model: string): string => `atelier.draft.${model}`;

/** The draft of a model; null where there is none, or where it cannot be read. */
export function readDraft(model: string): Members | null {
  try {
    const kept: unknown = parseJson(localStorage.getItem(storageKeyOf(model)) ?? 'null');
    return isMembers(kept) ? kept : null;
  } catch {
    return null;
  }
}

/** Writes the draft; an empty input removes it. Never throws. */
export function keepDraft(model: string, input: Members | null): void {
  try {
    if (input === null || Object.keys(input).length === 0) localStorage.removeItem(storageKeyOf(model));
    else localStorage.setItem(storageKeyOf(model), toJson(input));
  } catch {
    // The storage is full or disabled: the form works without drafts.
  }
}
