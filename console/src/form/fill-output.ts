/** Fills a file of an earlier result into the field of an input that is meant for it. */
import type { ModelLine } from '../api/answers.ts';
import type { MediaLimits, Schema } from '../api/input-schema.ts';
import {
  initialValue,
  isMembers,
  type Members,
  mediaSlots,
  type Path,
  withMember,
  withValueAt,
} from './input-value.ts';

/** A file that is used as an input. */
export interface UsedFile {
  readonly id: string;
  readonly kind: MediaLimits['kind'];
  /** The job that made the picture; null for an upload. */
  readonly picture: {
    readonly jobId: string;
    /** Its number in the job. */
    readonly index: number;
    readonly width: number;
    readonly height: number;
  } | null;
}

/** Contract 2.10: the picture of a watermark. Nothing is made from it. */
const markField = 'wm_url';

/** Where a result goes in an input, as the gateway describes it for each model. */
export type ResultUse = ModelLine['uses'][number];

/**
 * The file where its use says; without one, a model that names pictures by their job gets the job, and any other the file
 * in its first field of that kind, never in a mask or a watermark. Unchanged where the model has no such field.
 */
export function withUsedFile(schema: Schema, input: Members, file: UsedFile, use?: ResultUse): Members {
  if (use !== undefined) return withUse(schema, input, file, use);
  if (file.picture !== null && file.kind === 'image') {
    const filled = withPictureOfJob(schema, input, file.picture);
    if (filled !== null) return filled;
  }
  const slot = mediaSlots(schema).find(
    one =>
      one.schema.media?.kind === file.kind && !one.path.includes(markField) && !isMask(schema, one.path[0]),
  );
  const filled = slot ? withValueAt(input, slot.path, file.id) : withItem(schema, input, file);
  return isMembers(filled) ? filled : input;
}

/** By the path of the use. A field that names a job takes the job that made the picture. */
function withUse(schema: Schema, input: Members, file: UsedFile, { path, beside }: ResultUse): Members {
  const [name = '', ...rest] = path.split('.');
  if (schema.properties?.[name]?.widget === 'job')
    return (file.picture && withPictureOfJob(schema, input, file.picture)) ?? input;
  const filled = withPath(input, [name, ...rest], file.id, beside);
  return isMembers(filled) ? filled : input;
}

/** `-` is a further item of a list, with the members that stand beside the value; an empty item is filled before. */
function withPath(
  value: unknown,
  path: readonly string[],
  next: string,
  beside: ResultUse['beside'],
): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return next;
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  if (name === '-') {
    const item = withPath(rest.length === 0 ? undefined : (beside ?? {}), rest, next, undefined);
    return [...list.filter(one => one !== '' && !isSameUse(one, beside) && !isBare(one)), item];
  }
  if (/^\d+$/.test(name))
    return withValueAt(list, [Number(name)], withPath(list[Number(name)], rest, next, beside));
  return withMember(value, name, withPath(isMembers(value) ? value[name] : undefined, rest, next, beside));
}

/** Whether an item has the same role, so that a second first frame replaces the first. References may be many. */
const isSameUse = (item: unknown, beside: ResultUse['beside']): boolean =>
  beside !== undefined &&
  isMembers(item) &&
  !Object.values(beside).some(word => /refer|feature/.test(word)) &&
  Object.entries(beside).every(([name, word]) => item[name] === word);

/** Whether an item of a list is one that was added and not filled in yet: constants alone. */
const isBare = (item: unknown): boolean =>
  isMembers(item) && Object.keys(item).filter(name => name !== 'type').length === 0;

/** Whether a top-level field is a mask, which is drawn and never a result of a model. */
const isMask = (schema: Schema, name: Path[number] | undefined): boolean =>
  schema.properties?.[String(name)]?.widget === 'mask';

/** Job, number, and, where they are unset, canvas and placement of its size. Null where the model has no such fields. */
export function withPictureOfJob(
  schema: Schema,
  input: Members,
  { jobId, index, width, height }: NonNullable<UsedFile['picture']>,
): Members | null {
  const nameByHint = (widget: string) =>
    Object.entries(schema.properties ?? {}).find(([, member]) => member.widget === widget)?.[0];
  const job = nameByHint('job');
  if (job === undefined) return null;
  const number = nameByHint('picture-number');
  const [canvas, placement] = [nameByHint('canvas'), nameByHint('placement')];
  const size = { width, height };
  return {
    ...input,
    [job]: jobId,
    ...(number !== undefined && { [number]: index }),
    ...(canvas !== undefined && !isMembers(input[canvas]) && { [canvas]: size }),
    ...(placement !== undefined && !isMembers(input[placement]) && { [placement]: { x: 0, y: 0, ...size } }),
  };
}

/** An input without the fields that depend on the size of an earlier picture: canvas, placement and mask. */
export const withoutPlacement = (schema: Schema, input: Members): Members =>
  Object.fromEntries(
    Object.entries(input).filter(
      ([name]) => !['canvas', 'placement', 'mask'].includes(schema.properties?.[name]?.widget ?? ''),
    ),
  );

/** A further item of a list whose items have alternatives: the first alternative with a medium of that kind. */
function withItem(schema: Schema, input: Members, { id, kind }: UsedFile): unknown {
  for (const [name, { items }] of Object.entries(schema.properties ?? {})) {
    for (const alternative of items?.oneOf ?? []) {
      const slot = mediaSlots(alternative).find(one => one.schema.media?.kind === kind);
      if (!slot) continue;
      const list = input[name];
      const before = Array.isArray(list) ? list : [];
      return { ...input, [name]: [...before, withValueAt(initialValue(alternative), slot.path, id)] };
    }
  }
  return input;
}
