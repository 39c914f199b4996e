import { useEffect, useState } from 'react';
import { exactTime, formatAgo } from './format.ts';

/** A moment as its distance from now; the exact time is one hover, or one reading, away. */
export function RelativeTime({ at }: { readonly at: number }) {
  const now = useNow(10_000);
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={exactTime(at)}>
      {formatAgo(at, now)}
    </time>
  );
}

/** The time now, told anew so often; it stands still while the tab is hidden. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
