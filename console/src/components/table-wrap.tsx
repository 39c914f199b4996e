/** The frame of a table that may be wider than the screen. */
import type { ReactNode } from 'react';

/** Scrolls sideways by itself, so the page never does; the keyboard can scroll it, too. */
export function TableWrap({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="table-wrap" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
