/** The check of commit subjects that CI runs: what it refuses, and that it says so when it cannot look. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
// @ts-expect-error plain JavaScript, without types: it must run under any Node
import { BASE, checkSubjects, SUBJECT_CHARS_MAX, subjectFault } from "../../.ci/subjects.mjs";

/** A git that has BASE in its history and prints this log. */
const gitWith = (log: string) => (verb: string) => (verb === "log" ? log : "");

describe("[DO-10] the subject of a commit", () => {
  const good = [
    "stream: carry the sort order in page cursors",
    "room/forces: reload the registry after an unknown write",
    "src,test: rename workspace to room",
    `http: a${"é".repeat(SUBJECT_CHARS_MAX - 7)}`,
  ];
  test.each(good)("may be: %s", (subject) => expect(subjectFault(subject)).toBeNull());

  const bad: [string, RegExp][] = [
    ["A change of a workspace's settings is in its event log", /area: verb object/],
    ["MAVLink: look at a track at its own height", /area: verb object/],
    ["http: Carry the sort order", /area: verb object/],
    ["http:carry the sort order", /area: verb object/],
    ["", /area: verb object/],
    [`http: ${"a".repeat(SUBJECT_CHARS_MAX - 5)}`, /has 73 characters, over 72/],
  ];
  test.each(bad)("may not be: %s", (subject, why) => expect(subjectFault(subject)).toMatch(why));

  test("is checked in every commit after the base, and a bad one is named with its hash", () => {
    const { note, faults } = checkSubjects(gitWith("aaaaaaa http: carry the sort order\nbbbbbbb No area here\n"));
    expect(faults).toEqual(['bbbbbbb: "No area here" is not `area: verb object` in lower case']);
    expect(note).toBe("commit subjects: 2 looked at, 1 wrong");
    const asked: string[][] = [];
    checkSubjects((...args: string[]) => {
      asked.push(args);
      return "";
    });
    expect(asked.at(-1)).toContain(`${BASE}..HEAD`);
  });

  test("is not judged where the history cannot be read", () => {
    expect(checkSubjects(() => null)).toEqual({
      note: `commit subjects: could not look, ${BASE.slice(0, 12)} is not in this history`,
      faults: [],
    });
    const folder = mkdtempSync(join(tmpdir(), "picket-subjects-"));
    const run = spawnSync(process.execPath, [resolve(".ci/subjects.mjs")], { cwd: folder, encoding: "utf8" });
    rmSync(folder, { recursive: true });
    expect(run.stdout).toMatch(/could not look/);
    expect(run.status).toBe(0);
  });
});
