/** Decisions keep one form, the index lists them all, and what a page draws is what the code does. */
import { globSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { TASK_MOVES } from "../../src/domain/task.ts";
import { readDocument, section, tableRows } from "../support/documents.ts";

const decisions = globSync("docs/adr/[0-9]*.md")
  .map((path) => path.split(/[\\/]/).at(-1) ?? "")
  .sort();
const PARTS = ["Context", "Decision", "Rejected", "What would change our mind"];
const titleOf = (name: string) => /^# \d{4}: (.+)$/m.exec(readDocument(`docs/adr/${name}`))?.[1];
const headOf = (name: string) =>
  /^Date: (\d{4}-\d{2}-\d{2}) · Status: (accepted|superseded by \d{4})$/m.exec(readDocument(`docs/adr/${name}`));

describe("[DO-11] a decision", () => {
  test.each(decisions)("%s has a date, a status, and its four parts in order", (name) => {
    expect(headOf(name), "Date: YYYY-MM-DD · Status: accepted").not.toBeNull();
    const parts = [...readDocument(`docs/adr/${name}`).matchAll(/^\*\*(.+?)\.\*\*/gm)].map((match) => match[1]);
    expect(parts.filter((part) => PARTS.includes(part ?? ""))).toEqual(PARTS);
  });

  test("stands in the index with its title, date and status, and nothing else does", () => {
    const index = tableRows(section(readDocument("docs/adr/README.md"), "## Index"));
    expect(index).toEqual(
      decisions.map((name) => [
        `[${name.slice(0, 4)}](${name}): ${titleOf(name)}`,
        headOf(name)?.[1],
        headOf(name)?.[2],
      ]),
    );
  });
});

test("[DO-12] the moves of a task in ADR 0074 are those that the code allows", () => {
  const page = readDocument(`docs/adr/${decisions.find((name) => name.startsWith("0074"))}`);
  const written = tableRows(page).map(([from = "", to = ""]) => [from, to].map((cell) => cell.match(/\w+/g)));
  const allowed = Object.entries(TASK_MOVES).filter(([, to]) => to.length > 0);
  expect(written).toEqual(allowed.map(([from, to]) => [[from], [...to]]));
});
