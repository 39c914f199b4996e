import type { ReactNode } from 'react';

/** A table that may be wider than its place: it scrolls by itself, with the keyboard too. */
export function TableWrap({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="table-wrap" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
