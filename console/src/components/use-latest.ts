import { useLayoutEffect, useRef } from 'react';

/** What a component was given last, for work that ends after it was drawn anew. */
export function useLatest<Value>(value: Value): { readonly current: Value } {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
