/** docs/interface.md says what the code's tables say: roles, verbs, configuration keys, events. */
import { expect, test } from "vitest";
import { RIGHTS, ROLES } from "../../src/domain/access.ts";
import { BUILTIN_DECISION_CONFIG } from "../../src/domain/decisionConfig.ts";
import { DOMAIN_EVENTS, SLICE_EVENTS } from "../../src/domain/events.ts";
import { VERB_TABLE } from "../../src/domain/verbs.ts";
import { readDocument, section, tableRows } from "../support/documents.ts";

const page = readDocument("docs/interface.md");
const names = (text = "") => [...text.matchAll(/`([a-z_]+)`/g)].map((match) => match[1]);

test("[DO-15] the interface page has the roles, verbs, keys and events that the code has", () => {
  const roles = tableRows(section(page, "## Roles")).map(([right, ...cells]) => [names(right)[0], cells]);
  expect(roles).toEqual(
    Object.entries(RIGHTS).map(([right, may]) => [
      right,
      ROLES.map((role) => ((may as readonly string[]).includes(role) ? "x" : "")),
    ]),
  );
  const yes = (fact: boolean) => (fact ? "yes" : "no");
  expect(tableRows(section(page, "### Verbs"))).toEqual(
    Array.from(VERB_TABLE.values(), (row) => [
      `\`${row.verb}\``,
      row.kinds.join(" or "),
      row.slot,
      yes(row.resendSafe),
      yes(row.requiresConfirm),
    ]),
  );
  const keys = tableRows(section(page, "## Decision configuration")).flatMap(([key, defaults = ""]) => {
    const values = defaults.replaceAll("`", "").split(", ");
    return names(key).map((name, i) => [name, values[i]]);
  });
  expect(keys).toEqual(Object.entries(BUILTIN_DECISION_CONFIG).map(([key, value]) => [key, String(value)]));
  const events = tableRows(section(page, "### Events")).flatMap(([cell]) => names(cell));
  expect(events.toSorted()).toEqual([...DOMAIN_EVENTS].sort());
  expect(names(section(page, "### Slices").split(".")[0])).toEqual([...SLICE_EVENTS]);
});
