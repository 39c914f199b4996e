/** The keyboard shortcuts of the whole console. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { pageLinks } from './page-links.ts';

/** How long after `g` a second key counts. */
const sequenceMs = 1_200;

/**
 * `/` and Ctrl K search, `?` lists the keys, `g` and a letter open a page. Within a field or a dialog only Ctrl K works,
 * so that typing triggers none.
 */
export function useShortcuts({ find, help }: { readonly find: () => void; readonly help: () => void }): void {
  const navigate = useNavigate();
  const pressedAt = useRef(0);
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const isFind = event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (isFind && (event.key === 'k' || !isWriting(event))) return handle(event, find);
    if (isWriting(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '?') return handle(event, help);
    if (event.key === 'g') pressedAt.current = Date.now();
    else if (Date.now() - pressedAt.current < sequenceMs) {
      pressedAt.current = 0;
      const place = pageLinks.find(({ key }) => key === event.key);
      if (place) handle(event, () => void navigate({ to: place.to }));
    }
  });
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** The browser's own meaning of the key must not happen, too. */
function handle(event: KeyboardEvent, act: () => void): void {
  event.preventDefault();
  act();
}

/** Whether the focus is in a field or within a dialog. */
const isWriting = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
    target.closest('[role=dialog]') !== null);
