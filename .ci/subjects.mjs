/**
 * Checks the subjects of commits: `area: verb object`, at most 72 characters; the why belongs in the body.
 *
 * Looks at the commits after BASE, the last one from before the rule. In a shallow clone, or a copy without history, BASE
 * cannot be reached: then it says that it could not look, and fails nothing. Plain JavaScript: CI may have any Node.
 */
import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";

export const BASE = "566371df07b3014581ce2570c90c518b933766e6";
export const SUBJECT_CHARS_MAX = 72;
const FORM = /^[a-z0-9][a-z0-9/,-]*: [a-z]/;

/** What is wrong with a subject, as a sentence; null when nothing is. */
export function subjectFault(subject) {
  const length = [...subject].length;
  if (length > SUBJECT_CHARS_MAX) return `has ${length} characters, over ${SUBJECT_CHARS_MAX}; put the why in the body`;
  if (!FORM.test(subject)) return "is not `area: verb object` in lower case";
  return null;
}

/**
 * @param {(...args: string[]) => string | null} git what git prints, or null when it fails or is not there
 * @returns {{ note: string, faults: string[] }} a sentence on what was looked at, and one for each bad subject
 */
export function checkSubjects(git) {
  if (git("merge-base", "--is-ancestor", BASE, "HEAD") === null)
    return { note: `commit subjects: could not look, ${BASE.slice(0, 12)} is not in this history`, faults: [] };
  const log = git("log", "--no-merges", "--format=%h %s", `${BASE}..HEAD`);
  if (log === null) return { note: "commit subjects: could not look, git log failed", faults: [] };
  const lines = log.split("\n").filter((line) => line !== "");
  const faults = [];
  for (const line of lines) {
    const hash = line.slice(0, line.indexOf(" "));
    const subject = line.slice(hash.length + 1);
    const fault = subjectFault(subject);
    if (fault !== null) faults.push(`${hash}: "${subject}" ${fault}`);
  }
  return { note: `commit subjects: ${lines.length} looked at, ${faults.length} wrong`, faults };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { note, faults } = checkSubjects((...args) => {
    const run = spawnSync("git", args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
    return run.status === 0 ? run.stdout : null;
  });
  for (const fault of faults) console.log(fault);
  console.log(note);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
