/** Names of projects. */

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The rule that a name breaks; null where it breaks none. */
export const projectNameError = (name: string): string | null =>
  namePattern.test(name)
    ? null
    : 'must be 1 to 64 letters, digits, ".", "_" and "-", and begin with a letter or a digit';
