/** Times as distances from now, kept current. */
import { useEffect, useState } from 'react';
import { exactTime, formatAgo } from './format.ts';

/** `at` (Unix seconds) as "3 min ago"; the exact time is in its title. */
export function RelativeTime({ at }: { readonly at: number }) {
  const now = useNow(10_000);
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={exactTime(at)}>
      {formatAgo(at, now)}
    </time>
  );
}

/** The present time in epoch ms, renewed every `everyMs` while the tab is visible. */
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
