/** docs/architecture.md says what the tree is: its folders, and who may import whom. */
import { globSync } from "node:fs";
import { dirname } from "node:path/posix";
import { expect, test } from "vitest";
import { codeBlocks, readDocument, section, tableRows } from "../support/documents.ts";
import { MAY_IMPORT } from "../support/tidy.ts";

const page = readDocument("docs/architecture.md");

test("[DO-13] the import table on the page is the table that the tidy test enforces", () => {
  const written = tableRows(section(page, "## Who may import whom"));
  const parts = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  expect(written.map(([part, values, types]) => [parts(part), parts(values), parts(types)])).toEqual(
    Object.entries(MAY_IMPORT).map(([part, { values, types = [] }]) => [[part], [...values], [...types]]),
  );
});

test("[DO-14] every folder of src is in the tree on the page, and every folder of that tree exists", () => {
  const [tree = ""] = codeBlocks(section(page, "## The tree"), "text");
  const written = tree.match(/^[\w./]+\/(?=\s|$)|(?<=\s)src\/[\w./]+\/(?=\s|$)/gm) ?? [];
  const folders = globSync("src/**/*.ts").map((path) => `${dirname(path.replaceAll("\\", "/"))}/`);
  const top = ["assembly/", "bench/", "docs/", "scripts/", "sql/", "test/", ".ci/"];
  expect(written.toSorted()).toEqual([...new Set([...folders, ...top])].sort());
});
