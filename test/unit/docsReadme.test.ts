/** What README, glossary and decisions say is so: variables, commands, files, numbers of decisions. */
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { describe, expect, test } from "vitest";
import { readDocument, section, tableRows } from "../support/documents.ts";

const readme = readDocument("README.md");
const pages = globSync(["README.md", "CHANGELOG.md", "docs/**/*.md"]).map((path) => path.replaceAll("\\", "/"));

test("[DO-3] every npm command that a page names exists, and every command has its row", () => {
  const scripts = Object.keys(
    (JSON.parse(readDocument("package.json")) as { scripts: Record<string, string> }).scripts,
  );
  for (const page of pages) {
    for (const [, name] of readDocument(page).matchAll(/npm run (?:--silent )?([\w:]+)/g))
      expect(scripts, page).toContain(name);
  }
  const rows = tableRows(section(readme, "## Commands")).map(([cell]) => /npm (?:run )?(\w+)/.exec(cell ?? "")?.[1]);
  const internal = ["bootstrap", "build:kernel"];
  expect(rows.toSorted()).toEqual(scripts.filter((name) => !internal.includes(name)).toSorted());
});

test.each(pages)("[DO-4] every link of %s leads somewhere", (page) => {
  for (const [, target] of readDocument(page).matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g))
    expect(existsSync(join(dirname(page), target ?? "")), `${page}: ${target}`).toBe(true);
});

describe("[DO-5] decisions", () => {
  const decisions = globSync("docs/adr/[0-9]*.md").map((path) => path.split(/[\\/]/).at(-1) ?? "");

  test("each has a number of its own, and says it in its title", () => {
    expect(decisions.length).toBeGreaterThanOrEqual(5);
    const numbers = decisions.map((name) => name.slice(0, 4));
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const name of decisions)
      expect(readDocument(`docs/adr/${name}`)).toMatch(new RegExp(`^# ${name.slice(0, 4)}: \\S`));
  });

  test("every decision that a source names exists", () => {
    const numbers = new Set(decisions.map((name) => name.slice(0, 4)));
    for (const path of globSync("{src,assembly,bench,scripts,sql}/**/*.{ts,mjs,sql}"))
      for (const [, number] of readDocument(path).matchAll(/ADR (\d{4})/g))
        expect([...numbers], path).toContain(number);
  });
});

test("[DO-6] the glossary explains each term once, in a sentence", () => {
  const rows = tableRows(readDocument("docs/glossary.md"));
  const terms = rows.map(([term]) => term?.toLowerCase());
  expect(terms.length).toBeGreaterThan(50);
  expect(new Set(terms).size).toBe(terms.length);
  for (const [term, meaning] of rows) expect(meaning, term).toMatch(/^\S.*\S\.$/);
});

test("[DO-7] a rule's number is given once, every rule has a test, and no test claims a rule that is not written", () => {
  const rules = globSync("docs/behaviour/*.md").flatMap((path) =>
    [...readDocument(path).matchAll(/^- \*\*([A-Z]{2,4}-\d+)\*\*/gm)].map((m) => m[1]),
  );
  expect(rules.filter((rule, i) => rules.indexOf(rule) !== i)).toEqual([]);
  const claimed = globSync("test/**/*.test.ts").flatMap((path) =>
    [...readDocument(path).matchAll(/\[([A-Z]{2,4}-\d+)\]/g)].map((m) => m[1]),
  );
  expect([...new Set(claimed)].toSorted()).toEqual(rules.toSorted());
});
