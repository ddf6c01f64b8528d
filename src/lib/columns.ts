/** Text for a terminal: wrapped at words, and two columns of which the second one is wrapped. */

const GAP = "  ";

/** Lines of at most `width` characters, as long as no single word is longer. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

export function twoColumns(rows: readonly (readonly [string, string])[], width: number): string {
  const left = Math.max(...rows.map(([term]) => term.length)) + 2 * GAP.length;
  return rows
    .flatMap(([term, meaning]) =>
      wrap(meaning, width - left).map((line, i) => `${`${GAP}${i === 0 ? term : ""}`.padEnd(left)}${line}`),
    )
    .join("\n");
}
