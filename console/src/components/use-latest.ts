/** A reference to the latest value of a prop, for asynchronous work. */
import { useLayoutEffect, useRef } from 'react';

/** Work that outlives a render (an upload, for one) reads the value of the latest render, not of its own. */
export function useLatest<Value>(value: Value): { readonly current: Value } {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}
