/** The tree keeps the house rules, and the checker detects each kind of fault. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { findFaults } from "../support/tidy.ts";

const OPENING = "/** Opens with a word on what it owns. */\n";

/** The faults of made-up files, each imported by main so that only the fault under test is left. */
function faultsOf(sources: Record<string, string>): string[] {
  const paths = Object.keys(sources);
  const main = `${OPENING}${paths.map((path, i) => `import * as m${i} from "../${path}";`).join("\n")}\n`;
  const files = Object.entries(sources).map(([path, text]) => ({ path, text: OPENING + text }));
  return findFaults([...files, { path: "src/main.ts", text: main }]);
}

test("[TI-1] the tree is tidy", { timeout: 60_000 }, () => {
  const paths = globSync(["{src,assembly,bench,scripts,test}/**/*.{ts,mjs}", "vitest.config.ts"]);
  expect(paths.length).toBeGreaterThan(20);
  expect(
    findFaults(paths.map((path) => ({ path: path.replaceAll("\\", "/"), text: readFileSync(path, "utf8") }))),
  ).toEqual([]);
});

describe("[TI-2] who may import whom", () => {
  const refused: [string, string, string][] = [
    ["src/lib/ids.ts", "../domain/scan.ts", "lib may not import src/domain/scan.ts"],
    ["src/domain/scan.ts", "../room/room.ts", "domain may not import src/room/room.ts"],
    ["src/domain/scan.ts", "node:fs", "domain may not import node:fs"],
    ["src/room/room.ts", "../http/route.ts", "room may not import src/http/route.ts"],
    ["src/stream/hub.ts", "../room/room.ts", "stream may not import src/room/room.ts"],
    ["src/http/server.ts", "../room/room.ts", "http may not import src/room/room.ts"],
    ["src/http/server.ts", "../features/keys/routes.ts", "http may not import src/features/keys/routes.ts"],
    ["src/db/client.ts", "../http/route.ts", "db may not import src/http/route.ts"],
    ["src/features/keys/routes.ts", "../auth/token.ts", "features/keys may not import src/features/auth/token.ts"],
    ["src/features/keys/routes.ts", "../../tracker/tracker.ts", "features/keys may not import src/tracker/tracker.ts"],
    ["src/room/alerts/alerts.ts", "../forces/fleet.ts", "room/alerts may not import src/room/forces/fleet.ts"],
    ["src/tasking/store.ts", "../features/keys/store.ts", "tasking may not import src/features/keys/store.ts"],
    ["src/sim/noise.ts", "../room/room.ts", "sim may not import src/room/room.ts"],
    ["src/room/room.ts", "uWebSockets.js", "only http/ knows uWebSockets.js"],
    ["src/features/keys/routes.ts", "postgres", "only db/ and store.ts know postgres.js"],
    ["src/tracker/kernel.ts", "../../assembly/index.ts", "tracker may not import assembly/index.ts"],
  ];
  test.each(refused)("%s must not import %s", (path, target, fault) => {
    expect(faultsOf({ [path]: `import { x } from "${target}";\nexport const y = x;\n` })).toEqual([
      `${path}: ${fault}`,
    ]);
  });

  const allowed: [string, string][] = [
    ["src/domain/scan.ts", 'import { Type } from "typebox";\nimport { assert } from "../lib/assert.ts";'],
    ["src/http/server.ts", 'import type { RoomFace } from "../room/face.ts";'],
    ["src/features/keys/routes.ts", 'import { x } from "./store.ts";\nimport { y } from "../../http/route.ts";'],
    ["src/app/routes.ts", 'import { keysRoutes } from "../features/keys/routes.ts";'],
    ["src/tracker/kernel.ts", 'import { MEAS_STRIDE } from "../../assembly/layout.ts";'],
    ["src/main.ts", 'import { x } from "./features/keys/store.ts";'],
  ];
  test.each(allowed)("%s may import what its row allows", (path, text) => {
    expect(findFaults([{ path, text: OPENING + text }]).filter((fault) => fault.includes("may not"))).toEqual([]);
  });
});

describe("[TI-3] what is banned where", () => {
  const banned: [string, string, string][] = [
    ["src/domain/a.ts", "export const a = Date.now();", "src/domain/a.ts:2: domain may not use Date.now"],
    ["src/stream/a.ts", "export const a = new Date();", "src/stream/a.ts:2: stream may not use new Date()"],
    ["src/tracker/a.ts", "export const a = Math.random();", "src/tracker/a.ts:2: tracker may not use Math.random"],
    ["src/room/a.ts", "setTimeout(() => {}, 1);", "src/room/a.ts:2: room may not use setTimeout()"],
    ["src/room/a.ts", "console.log(1);", "src/room/a.ts:2: room may not use console.log"],
    ["src/http/a.ts", "export const a = process.env;", "src/http/a.ts:2: only config.ts reads the environment"],
    ["src/db/a.ts", "sql.unsafe(text);", "src/db/a.ts:2: sql.unsafe outside migrations"],
    ["src/features/keys/routes.ts", "sql`select 1`;", "src/features/keys/routes.ts:2: SQL outside db/ and store.ts"],
    ["test/unit/a.test.ts", `test.${"skip"}("x", () => {});`, `test/unit/a.test.ts:2: test.${"skip"} leaves tests out`],
  ];
  test.each(banned)("%s: %s", (path, text, fault) => expect(faultsOf({ [path]: text })).toEqual([fault]));

  test("a comment or a string that names a banned thing is no fault", () => {
    expect(faultsOf({ "src/domain/a.ts": 'export const a = "Date.now()"; // not Math.random()' })).toEqual([]);
  });
});

describe("[TI-4] how long things may be", () => {
  const lines = (count: number) => "  x();\n".repeat(count);

  test("a function of 70 lines passes, one of 71 does not", () => {
    expect(faultsOf({ "src/lib/a.ts": `export function a() {\n${lines(68)}}\n` })).toEqual([]);
    expect(faultsOf({ "src/lib/a.ts": `export function a() {\n${lines(69)}}\n` })).toEqual([
      "src/lib/a.ts:2: a has 71 lines, over 70",
    ]);
  });

  test("the lines of an inner function count once, for the inner one", () => {
    const inner = `const b = () => {\n${lines(69)}};\n`;
    expect(faultsOf({ "src/lib/a.ts": `export function a() {\n${lines(30)}${inner}}\n` })).toEqual([
      "src/lib/a.ts:33: b has 71 lines, over 70",
    ]);
  });

  test("a function that returns methods is measured with them: they share its variables", () => {
    const method = (name: string) => `  ${name}() {\n${lines(30)}  },\n`;
    const closure = (value: string) =>
      `export function a() {\n  const c = () => {\n${lines(30)}  };\n  return ${value};\n}\n`;
    const fault = (count: number) => [`src/lib/a.ts:2: a has ${count} lines, over 70`];
    expect(faultsOf({ "src/lib/a.ts": closure(`{\n${method("b")}${method("d")}  }`) })).toEqual(fault(100));
    expect(faultsOf({ "src/lib/a.ts": closure(`({\n${method("b")}${method("d")}  } as X)`) })).toEqual(fault(100));
    const named = `{ c, d: 1 };\n  function e() {\n${lines(40)}  }\n  x()`;
    expect(faultsOf({ "src/lib/a.ts": closure(named) })).toEqual(fault(78));
    expect(faultsOf({ "src/lib/a.ts": closure(named.replace("c, ", "")) })).toEqual([]);
  });

  test("a file of 401 lines and a route list of 151 are too long", () => {
    expect(faultsOf({ "src/lib/a.ts": lines(400) })).toEqual(["src/lib/a.ts: 401 lines, over 400"]);
    expect(faultsOf({ "src/features/keys/routes.ts": lines(150) })).toEqual([
      "src/features/keys/routes.ts: 151 lines, over 150",
    ]);
  });

  test("kernel functions are measured too, decorators and all", () => {
    const kernel = `@inline\nexport function gate(row: usize): f64 {\n${lines(69)}}\n`;
    expect(faultsOf({ "assembly/gate.ts": kernel })).toEqual(["assembly/gate.ts:3: gate has 71 lines, over 70"]);
  });
});

describe("[TI-5] no unused file, no cycle, no vague name, no barrel, no left-over note", () => {
  test("a file that nothing imports is found; one that is started by name is not", () => {
    const orphan = { path: "src/lib/a.ts", text: `${OPENING}export const a = 1;\n` };
    expect(findFaults([orphan])).toContain("src/lib/a.ts: no file imports it");
    const starter = { path: "scripts/feed.ts", text: `${OPENING}new URL("../src/lib/a.ts", import.meta.url);\n` };
    expect(findFaults([orphan, starter])).not.toContain("src/lib/a.ts: no file imports it");
  });

  test("an import cycle is found, also one that only types close", () => {
    const a = 'import { b } from "./b.ts";\nexport const a = b;\n';
    expect(
      faultsOf({ "src/lib/a.ts": a, "src/lib/b.ts": 'import { a } from "./a.ts";\nexport const b = a;\n' }),
    ).toEqual(["import cycle: src/lib/a.ts -> src/lib/b.ts -> src/lib/a.ts"]);
    expect(
      faultsOf({ "src/lib/a.ts": a, "src/lib/b.ts": 'import type { a } from "./a.ts";\nexport const b = 1;\n' }),
    ).toEqual(["import cycle: src/lib/a.ts -> src/lib/b.ts -> src/lib/a.ts"]);
  });

  test("an export that no other file imports is found, a type as well as a value", () => {
    const a = {
      path: "src/lib/a.ts",
      text: `${OPENING}export const a = 1;\nexport interface B {}\nexport const C = a;\n`,
    };
    const main = (line: string) => ({ path: "src/main.ts", text: `${OPENING}${line}\n` });
    expect(findFaults([a, main('import { a, type B } from "./lib/a.ts";')])).toEqual([
      "src/lib/a.ts:4: no other file imports C; leave out `export`",
    ]);
    expect(findFaults([a, main('import type { C } from "./lib/a.ts";')])).toEqual([
      "src/lib/a.ts:2: no other file imports a; leave out `export`",
      "src/lib/a.ts:3: no other file imports B; leave out `export`",
    ]);
    expect(findFaults([a, main('import * as all from "./lib/a.ts";')])).toEqual([]);
    expect(findFaults([a, main('const { a } = await import("./lib/a.ts");')])).toEqual([]);
  });

  test("two types of parts with one name are found", () => {
    const parts = "interface RoomParts {}\n";
    expect(faultsOf({ "src/lib/a.ts": parts, "src/lib/b.ts": parts })).toEqual([
      "src/lib/b.ts: RoomParts is also the name of a type in src/lib/a.ts",
    ]);
  });

  test("left-over work, vague names, barrels and missing openings are found", () => {
    expect(faultsOf({ "src/lib/a.ts": `x(); // ${"TO"}DO later\n` })).toEqual([
      "src/lib/a.ts: open work belongs in the issue list",
    ]);
    expect(faultsOf({ "src/lib/utils.ts": "x();\n" })).toEqual(["src/lib/utils.ts: the name is too vague"]);
    expect(faultsOf({ "src/lib/all.ts": 'export { a } from "typebox";\n' })).toEqual(["src/lib/all.ts: a barrel file"]);
    expect(findFaults([{ path: "src/main.ts", text: "x();\n" }])).toEqual([
      "src/main.ts: does not open with a comment on its purpose",
    ]);
  });
});
