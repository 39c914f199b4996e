/** Tags: names and values that a client gives a job, written `name=value`. */

/** Operations, "Money": at most so many tags of a job, of such names and lengths. */
export const maxTags = 16;
const namePattern = /^[a-z0-9_.-]{1,64}$/;
const maxValueCharacters = 256;

/** One name with its value. */
export interface Tag {
  readonly name: string;
  readonly value: string;
}

/** Reads `name=value`, or says what is wrong with it. */
export function parseTag(written: string): Tag | { readonly fault: string } {
  const at = written.indexOf('=');
  const [name, value] = [written.slice(0, Math.max(at, 0)).trim(), written.slice(at + 1).trim()];
  if (at < 0) return { fault: `"${written.slice(0, 80)}" must be name=value` };
  if (!namePattern.test(name))
    return { fault: `the name "${name.slice(0, 80)}" must be 1 to 64 of a-z, 0-9, "_", "." and "-"` };
  if (value.length > maxValueCharacters)
    return { fault: `the value of ${name} must have at most ${maxValueCharacters} characters` };
  return { name, value };
}

/** As people write it. */
export const formatTag = ({ name, value }: Tag): string => `${name}=${value}`;

/** Names what belongs to a tag, without blanks and colons. */
export const idOfTag = ({ name, value }: Tag): string =>
  `${name}=${encodeURIComponent(value.toWellFormed())}`;

/** The tag of an id, as people write it. */
export const textOfTagId = (id: string): string => decodeURIComponent(id);
