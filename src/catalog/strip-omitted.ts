/** Removes null, "" and [] in optional fields before validation (decisions 9). */

import { z } from 'zod';

/** A copy of a value without its omitted members; the value itself where it has none. */
type Strip = (value: unknown) => unknown;

/**
 * Decisions 9: null, "" and [] in an optional field mean that it is left out, at any depth. Clients that write every
 * member of a struct, and the vendors' own printed examples, send them. A field that must be there keeps its value and
 * is refused for it; a name that the schema does not know stays, so that it is refused as unknown.
 */
export const omittedStripper = (schema: z.core.$ZodType): Strip => stripOf(schema) ?? (value => value);

/** 0 and false are values; an object without members is one, too. */
const isOmitted = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Null where nothing below can be left out. */
function stripOf(schema: z.core.$ZodType): Strip | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return stripOfObject(def.shape);
    case 'array':
      return stripOfArray(stripOf(def.element));
    case 'union':
      return stripOfUnion(def.options);
    case 'optional':
    case 'default':
    case 'prefault':
    case 'nullable':
      return stripOf(def.innerType);
    default:
      return null;
  }
}

/** Prepared once for a schema: members are found by name, and a body without omitted members is not copied. */
function stripOfObject(shape: z.core.$ZodShape): Strip {
  const members = new Map(
    Object.entries(shape).map(([name, member]) => [
      name,
      { isOptional: member._zod.optin !== undefined, strip: stripOf(member) },
    ]),
  );
  return value => {
    if (!isRecord(value)) return value;
    let isChanged = false;
    const kept = Object.entries(value).flatMap(([name, given]) => {
      const member = members.get(name);
      if (member?.isOptional && isOmitted(given)) {
        isChanged = true;
        return [];
      }
      const stripped = member?.strip ? member.strip(given) : given;
      isChanged ||= stripped !== given;
      return [[name, stripped] as const];
    });
    return isChanged ? Object.fromEntries(kept) : value;
  };
}

/** Items are never dropped, because their positions mean something; only members within them are. */
function stripOfArray(strip: Strip | null): Strip | null {
  if (strip === null) return null;
  return value => {
    if (!Array.isArray(value)) return value;
    const items = value.map(strip);
    return items.some((item, place) => item !== value[place]) ? items : value;
  };
}

/**
 * Only the option that is meant: the one whose constants the value has. One struct for all options writes the members
 * of the others, too; what is empty of them is left out.
 */
function stripOfUnion(options: readonly z.core.$ZodType[]): Strip | null {
  const strips = options.map(option => ({ option, strip: stripOf(option) }));
  if (strips.every(({ strip }) => strip === null)) return null;
  const known = new Set(options.flatMap(namesOf));
  return value => {
    const meant = strips.find(({ option }) => matchesOption(option, value));
    if (!meant) return value;
    const names = namesOf(meant.option);
    const ofOthers = ([name, given]: [string, unknown]) =>
      known.has(name) && !names.includes(name) && isOmitted(given);
    const members = isRecord(value) ? Object.entries(value) : [];
    const kept = members.some(ofOthers) ? Object.fromEntries(members.filter(each => !ofOthers(each))) : value;
    return meant.strip?.(kept) ?? kept;
  };
}

/** The members of an option; none where it is no object. */
const namesOf = (option: z.core.$ZodType): readonly string[] =>
  option instanceof z.ZodObject ? Object.keys(option.shape) : [];

/** Whether an option of a union is the one that a value was written for: each constant of it stands in the value. */
export function matchesOption(option: z.core.$ZodType, value: unknown): boolean {
  if (!(option instanceof z.ZodObject) || !isRecord(value)) return false;
  const constants = Object.entries(option.shape).filter(([, member]) => member instanceof z.ZodLiteral);
  return (
    constants.length > 0 && constants.every(([name, member]) => z.safeParse(member, value[name]).success)
  );
}

/** A JSON object. */
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
