export type Theme = 'system' | 'light' | 'dark';

const place = 'atelier.theme';

export function readTheme(): Theme {
  const kept = localStorage.getItem(place);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Kept in this browser; the page takes it up before its first paint. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(place);
    delete document.documentElement.dataset.theme;
    return;
  }
  localStorage.setItem(place, theme);
  document.documentElement.dataset.theme = theme;
}
