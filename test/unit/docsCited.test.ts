/** What code and pages cite is in the repository: pages, their headings, files; and no paper that a clone does not have. */
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, test } from "vitest";
import { readDocument } from "../support/documents.ts";

const found = (patterns: string[]) => globSync(patterns).map((path) => path.replaceAll("\\", "/"));
const code = found(["{src,assembly,bench,scripts,test}/**/*.{ts,mjs}", ".ci/*"]);
const pages = found(["README.md", "CHANGELOG.md", "docs/**/*.md"]);

/** The anchor that a heading gets on the usual forges. */
function anchorOf(heading: string): string {
  const letters = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "");
  return letters.replaceAll(" ", "-");
}

const anchors = new Map<string, Set<string>>();
function hasAnchor(page: string, anchor: string): boolean {
  if (!anchors.has(page)) {
    const headings = [...readDocument(page).matchAll(/^#{1,6} (.+)$/gm)].map((match) => anchorOf(match[1] ?? ""));
    anchors.set(page, new Set(headings));
  }
  return anchors.get(page)!.has(anchor);
}

/** `docs/interface.md#assets, #registration` cites two headings of one page. */
function brokenCitations(text: string): string[] {
  const broken: string[] = [];
  for (const [cited, page = "", tail = ""] of text.matchAll(/\b(docs\/[\w./-]+\.md)((?:(?:,\s*(?:\* )?)?#[\w-]+)*)/g)) {
    const names = [...tail.matchAll(/#([\w-]+)/g)].map((match) => match[1] ?? "");
    if (!existsSync(page) || names.some((name) => !hasAnchor(page, name))) broken.push(cited);
  }
  return broken;
}

/** Put together, so that this file cites nothing that is not there. */
const MADE_UP = `docs/${"interface.md"}#signals, #no-such`;

test("[DO-16] every page and heading that code or a page cites exists", () => {
  const broken = [...code, ...pages].flatMap((path) =>
    brokenCitations(readDocument(path)).map((cited) => `${path}: ${cited}`),
  );
  expect(broken).toEqual([]);
  expect(brokenCitations(`see docs/errors.md, ${MADE_UP}`)).toEqual([MADE_UP]);
});

test("[DO-16] every heading that a link between pages names exists", () => {
  const broken: string[] = [];
  for (const page of pages)
    for (const [, file = "", anchor = ""] of readDocument(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([\w-]+)\)/g)) {
      const target = file === "" ? page : join(dirname(page), file);
      if (!existsSync(target) || !hasAnchor(target, anchor)) broken.push(`${page}: ${file}#${anchor}`);
    }
  expect(broken).toEqual([]);
});

test("[DO-16] every file of the tree that a page names in backticks exists", () => {
  const broken: string[] = [];
  for (const page of pages)
    for (const [, path = ""] of readDocument(page).matchAll(
      /`((?:src|assembly|bench|docs|scripts|sql|test)\/[\w./-]*)`/g,
    ))
      if (!/[A-Z]{4}/.test(path) && !existsSync(path)) broken.push(`${page}: ${path}`);
  expect(broken).toEqual([]);
});

/** Papers that were cited and are not here; a paragraph sign is for public documents, right after their name. */
const ELSEWHERE =
  /\b[Cc]ontract,? (?:§|Decision)|\bDecisions? \d|\busers\.md|platform fact|architecture §|(?<!RFC \d{4} )§\d/;

test("[DO-17] nothing cites a paper that the repository does not have", () => {
  const citing = [...code, ...pages].filter((path) => !path.endsWith("docsCited.test.ts"));
  const faults = citing.flatMap((path) =>
    readDocument(path)
      .split("\n")
      .flatMap((line, i) => (ELSEWHERE.test(line) ? [`${path}:${i + 1}: ${line.trim().slice(0, 100)}`] : [])),
  );
  expect(faults).toEqual([]);
  for (const line of ["(contract §7)", "Decision 9", "[§4.2]", "users.md U12"]) expect(line).toMatch(ELSEWHERE);
  for (const line of ["RFC 8259 §4", "a decision", "contract tests"]) expect(line).not.toMatch(ELSEWHERE);
});
