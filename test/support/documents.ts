/** Reads the documents, so that tests can compare them with the code. Knows Markdown tables and code blocks only. */
import { readFileSync } from "node:fs";

/** The rows of all tables in the text as cells, without headings and rules. */
export function tableRows(markdown: string): string[][] {
  const rows = markdown.split("\n").map((line) => (line.startsWith("|") ? line.split(/(?<!\\)\|/).slice(1, -1) : null));
  return rows
    .filter((cells, i) => cells !== null && !isRule(cells) && !isRule(rows[i + 1] ?? null))
    .map((cells) => (cells ?? []).map((cell) => cell.trim()));
}

function isRule(cells: readonly string[] | null): boolean {
  return cells?.every((cell) => /^\s*:?-+:?\s*$/.test(cell)) ?? false;
}

/** The part of a page between a heading and the next one of the same or a higher level. */
export function section(markdown: string, heading: string): string {
  const level = heading.split(" ")[0]?.length ?? 1;
  const from = markdown.indexOf(`\n${heading}\n`);
  if (from < 0) throw new Error(`there is no heading "${heading}"`);
  const rest = markdown.slice(from + heading.length + 2);
  const next = rest.search(new RegExp(`^#{1,${level}} `, "m"));
  return next < 0 ? rest : rest.slice(0, next);
}

export function codeBlocks(markdown: string, language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    (match) => match[1] ?? "",
  );
}

export function readDocument(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}
