/** Fills a file of an earlier result into the field of an input that is meant for it. */
import type { MediaLimits, Schema } from '../api/input-schema.ts';
import { initialValue, isMembers, type Members, mediaSlots, type Path, withValueAt } from './input-value.ts';

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

/**
 * A model that names pictures by their job gets the job; any other gets the file in its first field of that kind, and
 * never in a mask or a watermark. Unchanged where the model has no such field.
 */
export function withUsedFile(schema: Schema, input: Members, file: UsedFile): Members {
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
