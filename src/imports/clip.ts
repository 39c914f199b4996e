/** Shortens the texts that vendors publish. */

/** The text in one line, ended at a sentence or a word where it is too long. */
export function clip(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  const start = line.slice(0, length);
  const sentence = start.lastIndexOf('. ');
  return sentence > length / 3 ? start.slice(0, sentence + 1) : `${start.slice(0, start.lastIndexOf(' '))} …`;
}
