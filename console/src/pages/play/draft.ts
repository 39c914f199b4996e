import { parseJson, toJson } from '../../api/lossless-json.ts';
import { isMembers, type Members } from '../../form/input-value.ts';

const placeOf = (model: string): string => `atelier.draft.${model}`;

/** What somebody was about to run stays in this browser, for each model its own. */
export function readDraft(model: string): Members | null {
  try {
    const kept: unknown = parseJson(localStorage.getItem(placeOf(model)) ?? 'null');
    return isMembers(kept) ? kept : null;
  } catch {
    return null;
  }
}

export function keepDraft(model: string, input: Members | null): void {
  try {
    if (input === null || Object.keys(input).length === 0) localStorage.removeItem(placeOf(model));
    else localStorage.setItem(placeOf(model), toJson(input));
  } catch {
    // A full or closed storage keeps no drafts; the form works without.
  }
}
