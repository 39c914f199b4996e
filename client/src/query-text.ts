/** Query strings. */

/** `?a=1&b=2`, or nothing; what is undefined is left out. */
export function queryText(members: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = String(query);
  return text === '' ? '' : `?${text}`;
}
