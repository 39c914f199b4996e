import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { pageLinks } from './page-links.ts';

/** How long after `g` the second key counts. */
const togetherMs = 1_200;

/** Keys of the whole console; whoever writes into a field is left alone. */
export function useShortcuts({ find, help }: { readonly find: () => void; readonly help: () => void }): void {
  const navigate = useNavigate();
  const goneAt = useRef(0);
  const hear = useEffectEvent((event: KeyboardEvent) => {
    const isFind = event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (isFind && (event.key === 'k' || !isWriting(event))) return take(event, find);
    if (isWriting(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '?') return take(event, help);
    if (event.key === 'g') goneAt.current = Date.now();
    else if (Date.now() - goneAt.current < togetherMs) {
      goneAt.current = 0;
      const place = pageLinks.find(({ key }) => key === event.key);
      if (place) take(event, () => void navigate({ to: place.to }));
    }
  });
  useEffect(() => {
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, []);
}

function take(event: KeyboardEvent, act: () => void): void {
  event.preventDefault();
  act();
}

const isWriting = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
    target.closest('[role=dialog]') !== null);
