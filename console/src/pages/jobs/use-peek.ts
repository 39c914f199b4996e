/** The job that is shown beside the list, and the keys that go through the list. */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { JobLine } from '../../api/answers.ts';

/** The job beside the list, and what goes on to another one. */
export interface Peek {
  /** A request id; null: none is shown. */
  readonly id: string | null;
  open(id: string): void;
  close(): void;
  /** To the next line, or with -1 to the one before; null where there is none. */
  readonly step: Readonly<Record<'next' | 'previous', (() => void) | null>>;
}

/** `j` and `k` go through the list and Escape closes, unless something is written. */
export function usePeek(lines: readonly JobLine[]): Peek {
  const [id, setId] = useState<string | null>(null);
  const lastKey = useRef('');
  const index = lines.findIndex(({ request_id }) => request_id === id);
  const to = (next: JobLine | undefined) => (next ? () => show(next.request_id) : null);
  const step = {
    next: to(index === -1 && id !== null ? undefined : lines[index + 1]),
    previous: to(index > 0 ? lines[index - 1] : undefined),
  };

  function show(next: string) {
    setId(next);
    document.getElementById(lineId(next))?.scrollIntoView({ block: 'nearest' });
  }

  function close() {
    const line = id === null ? null : document.getElementById(lineId(id));
    setId(null);
    // To where the focus was: the drawer that may have it is gone.
    line?.querySelector<HTMLElement>('.peek-button')?.focus();
  }

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const { key } = event;
    // `g j` and `g k` go to pages.
    const isSequence = lastKey.current === 'g';
    lastKey.current = key;
    if (isSequence || event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return;
    if (key === 'j') step.next?.();
    if (key === 'k') step.previous?.();
    if (key === 'Escape' && id !== null) close();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return { id, open: show, close, step };
}

/** The element of a line or tile. */
export const lineId = (requestId: string): string => `job-${requestId}`;

const isWriting = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
    ? !(target instanceof HTMLInputElement && target.type === 'checkbox')
    : target.closest('[role=dialog]') !== null);
