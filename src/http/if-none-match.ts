/** RFC 9110, 13.1.2: whether the header names that tag; any of a list, compared weakly. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map(tag => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(etag);
}
