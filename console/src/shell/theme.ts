/** The colour theme, kept in this browser. */

export type Theme = 'system' | 'light' | 'dark';

/** `early-theme.js` reads it as well. */
const storageKey = 'atelier.theme';

/** The stored theme; `system` follows the setting of the system. */
export function readTheme(): Theme {
  // Anything else in the storage is as good as nothing.
  const kept = localStorage.getItem(storageKey);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Applies a theme and stores it; `early-theme.js` applies it before the first paint. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(storageKey);
    delete document.documentElement.dataset.theme;
    return;
  }
  localStorage.setItem(storageKey, theme);
  document.documentElement.dataset.theme = theme;
}
