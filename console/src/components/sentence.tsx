/** A sentence of the catalog, in which backquotes enclose code. */

/** `a \`<#0.5#>\` pauses`: what stands between backquotes is drawn as code. */
export function Sentence({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) =>
    // Every second part stood between two of them.
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change their order.
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}
