/** Doc comments of generated types. */

/** Characters of a line, as in the rest of the sources. */
const maxWidth = 110;

/** Writes lines as a doc comment before a declaration; long lines are broken between words. */
export function docComment(lines: readonly string[], indent: string): string {
  // The end of a comment within a description would end the comment.
  const safe = lines.filter(line => line !== '').map(line => line.replaceAll('*/', '*\\/'));
  const broken = safe.flatMap(line => breakLine(line, maxWidth - indent.length - 3));
  const [only] = broken;
  if (only === undefined) return '';
  if (broken.length === 1) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${broken.map(line => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/**
 * Lines of at most that width; what follows an item of a list is indented under it. A longer word stays whole.
 */
function breakLine(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of line.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(lines.length > 0 && line.startsWith('- ') ? `  ${word}` : word);
  }
  return lines;
}
