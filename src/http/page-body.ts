/** The body of a page of a list, whatever the list is of. */

/** What decides about a page: its entries, and whether more follow. */
export interface Page<Body> {
  readonly data: readonly Body[];
  readonly hasMore: boolean;
  /** What `after` takes of an entry. */
  readonly idOf: (body: Body) => string;
}

/** As `pageOf` in `src/answers/values.ts` describes it. */
export const pageBody = <Body>({ data, hasMore, idOf }: Page<Body>) => {
  const [first, last] = [data[0], data.at(-1)];
  return {
    object: 'list',
    data,
    first_id: first === undefined ? null : idOf(first),
    last_id: last === undefined ? null : idOf(last),
    has_more: hasMore,
  };
};
