/** What the form of a model starts with: an earlier run, a draft, a result to go on with, or the model's example. */
import type { ModelDetail, ModelLine } from '../../api/answers.ts';
import type { Schema } from '../../api/input-schema.ts';
import { type UsedFile, withoutPlacement, withUsedFile } from '../../form/fill-output.ts';
import { initialInput, isMembers, type Members } from '../../form/input-value.ts';
import { namesForeignResult, samplesIn } from '../../form/sample-input.ts';
import { readDraft } from './draft.ts';

/** Where the input may come from. */
export interface Sources {
  readonly model: ModelDetail;
  readonly schema: Schema;
  /** The input of an earlier run. */
  readonly given: unknown;
  /** A file for the field that is meant for it. */
  readonly use: UsedFile | undefined;
  /** What the file becomes; undefined where the address does not say. */
  readonly as: ModelLine['uses'][number] | undefined;
}

/** The input of the earlier run, else the draft of this browser, else the example; with the file in its place. */
export function startingInput({ model, schema, given, use, as }: Sources): Members {
  if (isMembers(given)) return given;
  const draft = readDraft(model.id);
  if (use === undefined) return draft ?? exampleInput(model, schema);
  // The example's own media would stand beside the file.
  return withUsedFile(schema, draft ?? initialInput(schema), use, as);
}

/** The first example, with empty slots where it names media or an earlier job: nothing is uploaded before it is wanted. */
export function exampleInput(model: ModelDetail, schema: Schema): Members {
  const [example] = model.examples;
  const bare = withoutPlaceholders(example);
  if (!isMembers(bare)) return initialInput(schema);
  // An earlier picture that is chosen brings its own size.
  const placed = namesForeignResult(example) ? withoutPlacement(schema, bare) : bare;
  return { ...initialInput(schema), ...placed };
}

/** Members with placeholders are dropped; items of lists become empty slots. Undefined where nothing is left. */
function withoutPlaceholders(value: unknown): unknown {
  if (typeof value === 'string') return isPlaceholder(value) ? undefined : value;
  if (Array.isArray(value)) return value.map(item => withoutPlaceholders(item) ?? '');
  if (!isMembers(value)) return value;
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const bare = withoutPlaceholders(member);
    return bare === undefined ? [] : [[name, bare]];
  });
  return Object.fromEntries(kept);
}

const isPlaceholder = (text: string): boolean => samplesIn(text).length > 0 || namesForeignResult(text);
