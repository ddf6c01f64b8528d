/**
 * The house rules that a machine can check (docs/architecture.md): the import table, banned names, lengths, and unused files
 * and exports. Pure: files in, sentences out; `unit/tidy.test.ts` runs it over the tree.
 */
import { type ParsedFile, parse, type SourceFile } from "./sourceFile.ts";

const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;
const ROUTES_LINES_MAX = 150;

const CODE = ["src", "assembly", "bench", "scripts", "test"];
/** The import table: each row names the parts that a part of the tree may import besides itself. */
export const MAY_IMPORT: Record<string, { readonly values: readonly string[]; readonly types?: readonly string[] }> = {
  lib: { values: [] },
  limits: { values: ["lib"] },
  config: { values: ["lib", "limits"] },
  domain: { values: ["lib", "limits", "layout"] },
  measurement: { values: ["lib", "limits", "domain", "layout"] },
  stream: { values: ["lib", "limits", "domain"] },
  tracker: { values: ["lib", "limits", "domain", "layout"] },
  // part.ts and changes.ts: what a wing is to its room. face.ts: what the room is to everyone else.
  "room door": { values: ["lib", "limits", "domain"], types: ["room wing", "stream", "tracker"] },
  "room/intake": { values: ["lib", "limits", "domain", "layout", "tracker"], types: ["room door"] },
  "room/sensors": { values: ["lib", "limits", "domain"] },
  "room/tasks": { values: ["lib", "limits", "domain", "room door"] },
  "room/alerts": { values: ["lib", "limits", "domain", "room door"] },
  "room/forces": {
    values: ["lib", "limits", "domain", "measurement", "room door", "room/sensors", "room/tasks", "room/alerts"],
    types: ["room/intake"],
  },
  "room/tracks": { values: ["lib", "limits", "domain", "tracker"], types: ["room/sensors", "room/forces"] },
  "room/identity": {
    values: ["lib", "limits", "domain", "room/tracks", "room/forces"],
    types: ["room/intake", "room/sensors"],
  },
  "room/telling": { values: ["lib", "limits", "domain", "stream", "room door", "room wing"], types: ["tracker"] },
  room: { values: ["lib", "limits", "domain", "stream", "tracker", "measurement", "room door", "room wing"] },
  // The registry's faults (away, refused) are values of the domain's catalogue.
  db: { values: ["lib", "limits", "domain"] },
  http: { values: ["lib", "limits", "domain"], types: ["room door", "stream"] },
  links: { values: ["lib", "limits", "domain"], types: ["room door", "measurement"] },
  tasking: { values: ["lib", "limits", "domain", "db"], types: ["room door"] },
  // layout: the signals slice writes measurement columns, constants only.
  features: {
    values: [...["lib", "limits", "domain", "stream", "db", "http", "measurement", "layout", "links", "tasking"]],
    types: ["room door"],
  },
  // The door of a room is all that a recording knows of it.
  record: { values: ["lib", "limits", "domain"], types: ["room door"] },
  sim: { values: ["lib", "limits", "domain", "measurement"] },
};
/** These parts must give the same result for the same input, so they may not use clocks, timers or randomness. */
const PURE_PARTS = ["domain", "measurement", "tracker", "room", "record", "stream", "sim"];
const WORLDLY = [
  "Date.now",
  "new Date()",
  "Math.random",
  "performance.now",
  "setTimeout()",
  "setInterval()",
  "setImmediate()",
];
/** They connect the parts and may import all of them; no part may import these. */
const WIRING = ["app", "main"];
const VAGUE_NAMES = /(^|\/)(utils?|helpers?|managers?|services?|common|misc)(\.|\/)/i;
const LEFT_OVER = new RegExp(`\\b(${["TO", "FIX"].map((head, i) => head + ["DO", "ME"][i]).join("|")})\\b`);
const TEST_SWITCHES = /^(it|test|describe|suite)\.(only|skip|todo|fails)\b/;

/** Started by name, by npm scripts or by a test runner; every other file must be imported. */
function isEntryPoint({ path, text }: SourceFile): boolean {
  // The runner finds benches by this export.
  if (path.startsWith("bench/") && /^export async function run\(/m.test(text)) return true;
  return (
    /^src\/main\.ts$|^assembly\/index\.ts$|^scripts\/\w+\.(ts|mjs)$|^bench\/compare\.ts$/.test(path) ||
    /\.test\.ts$|\.d\.ts$|^vitest\.config\.ts$/.test(path)
  );
}

/** `lib`, `room`, `room/forces`, `features/assets`, ...: the first folder below src/, and the second where that is a part. */
function partOf(path: string): string {
  if (path === "assembly/layout.ts" || path === "assembly/physics.ts") return "layout";
  const [top, second = "", third = "", fourth] = path.split("/");
  if (top !== "src") return top ?? "";
  if (/^src\/room\/(face|changes|part)\.ts$/.test(path)) return "room door";
  if (second === "features" || (second === "room" && fourth !== undefined)) return `${second}/${third}`;
  return second.replace(/\.ts$/, "");
}

/** The part's row of the table; all slices share one. */
const rowOf = (part: string) => (part.startsWith("features/") ? "features" : part);

function isAllowed(to: string, allowed: readonly string[]): boolean {
  return allowed.includes(rowOf(to)) || (to.startsWith("room/") && allowed.includes("room wing"));
}

function importFaults(file: ParsedFile): string[] {
  const part = partOf(file.path);
  if (!file.path.startsWith("src/") || WIRING.includes(part)) return [];
  const row = MAY_IMPORT[rowOf(part)];
  if (row === undefined) return [`${file.path}: "${part}" is no part of the tree; see MAY_IMPORT`];
  const faults: string[] = [];
  for (const { target, typeOnly } of file.imports) {
    if (!/^(src|assembly|bench|scripts|test)\//.test(target)) continue;
    const to = partOf(target);
    if (to === part || isAllowed(to, row.values) || (typeOnly && isAllowed(to, row.types ?? []))) continue;
    faults.push(`${file.path}: ${part} may not import ${target}`);
  }
  return faults;
}

function packageFaults(file: ParsedFile): string[] {
  const part = partOf(file.path);
  const faults: string[] = [];
  for (const { target } of file.imports) {
    if (target === "uWebSockets.js" && file.path.startsWith("src/") && part !== "http")
      faults.push(`${file.path}: only http/ knows uWebSockets.js`);
    if (
      target === "postgres" &&
      file.path.startsWith("src/") &&
      part !== "db" &&
      !WIRING.includes(part) &&
      !file.path.endsWith("/store.ts")
    )
      faults.push(`${file.path}: only db/ and store.ts know postgres.js`);
    if (part === "domain" && !/^(src|assembly)\//.test(target) && !/^typebox(\/|$)/.test(target))
      faults.push(`${file.path}: domain may not import ${target}`);
  }
  return faults;
}

function banFaults(file: ParsedFile): string[] {
  const part = partOf(file.path);
  const inSource = file.path.startsWith("src/");
  const faults: string[] = [];
  for (const { name, line } of file.uses) {
    const at = `${file.path}:${line}`;
    const isPure = inSource && PURE_PARTS.includes(part.split("/")[0] ?? "");
    if (isPure && (WORLDLY.includes(name) || name.startsWith("process.") || name.startsWith("console.")))
      faults.push(`${at}: ${part} may not use ${name}`);
    else if (inSource && part !== "config" && file.path !== "src/main.ts" && name.startsWith("process.env"))
      faults.push(`${at}: only config.ts reads the environment`);
    if (inSource && name.endsWith(".unsafe") && file.path !== "src/db/migrate.ts")
      faults.push(`${at}: ${name} outside migrations`);
    if (inSource && name === "sql``" && part !== "db" && !file.path.endsWith("/store.ts"))
      faults.push(`${at}: SQL outside db/ and store.ts`);
    if (TEST_SWITCHES.test(name)) faults.push(`${at}: ${name} leaves tests out`);
  }
  return faults;
}

function sizeFaults(file: ParsedFile): string[] {
  const isRoutes = /^src\/features\/\w+\/(routes|\w+Routes)\.ts$/.test(file.path);
  const linesMax = isRoutes ? ROUTES_LINES_MAX : FILE_LINES_MAX;
  const faults = file.lineCount > linesMax ? [`${file.path}: ${file.lineCount} lines, over ${linesMax}`] : [];
  for (const { name, line, lines, ownLines, returnsMethods } of file.functions) {
    // Methods in a closure share its variables, so it is read as a whole; elsewhere an inner function is read by itself.
    const read = returnsMethods ? lines : ownLines;
    // A slice's list of routes is one long value; the length of its file is checked instead.
    if (read <= FUNCTION_LINES_MAX || (isRoutes && name.endsWith("Routes"))) continue;
    faults.push(`${file.path}:${line}: ${name} has ${read} lines, over ${FUNCTION_LINES_MAX}`);
  }
  return faults;
}

function wordFaults(file: ParsedFile): string[] {
  const faults: string[] = [];
  if (VAGUE_NAMES.test(file.path)) faults.push(`${file.path}: the name is too vague`);
  if (LEFT_OVER.test(file.text)) faults.push(`${file.path}: open work belongs in the issue list`);
  if (file.reExportsOnly && file.path !== "assembly/index.ts") faults.push(`${file.path}: a barrel file`);
  if (!/^(#!.*\n)?\s*\/[/*]/.test(file.text)) faults.push(`${file.path}: does not open with a comment on its purpose`);
  return faults;
}

function orphanFaults(files: readonly ParsedFile[]): string[] {
  const known = new Set<string>();
  for (const file of files) {
    for (const { target } of file.imports) known.add(target);
    for (const mention of file.mentions) if (mention !== file.path) known.add(mention);
  }
  return files
    .filter((file) => !isEntryPoint(file) && !known.has(file.path))
    .map((file) => `${file.path}: no file imports it`);
}

/** Exports that no other file imports. Entry points and modules that are imported as a whole are left out. */
function exportFaults(files: readonly ParsedFile[]): string[] {
  const taken = new Map<string, Set<string>>();
  for (const file of files)
    for (const { target, names } of file.imports) {
      const known = taken.get(target) ?? new Set();
      for (const name of names) known.add(name);
      taken.set(target, known);
    }
  const faults: string[] = [];
  for (const file of files) {
    const names = taken.get(file.path);
    if (isEntryPoint(file) || names?.has("*")) continue;
    for (const { name, line } of file.exports)
      if (!names?.has(name)) faults.push(`${file.path}:${line}: no other file imports ${name}; leave out \`export\``);
  }
  return faults;
}

/** Two types with one name lead to wrong imports. */
function twinFaults(files: readonly ParsedFile[]): string[] {
  const seen = new Map<string, string>();
  const faults: string[] = [];
  for (const { path, types } of files)
    for (const { name } of types) {
      if (!/\wParts$/.test(name)) continue;
      const before = seen.get(name);
      if (before !== undefined && before !== path)
        faults.push(`${path}: ${name} is also the name of a type in ${before}`);
      seen.set(name, path);
    }
  return faults;
}

/** Cycles of imports, types included: two files that need each other are one thing, or share a third. */
function cycleFaults(files: readonly ParsedFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const finished = new Set<string>();
  const faults: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const file = byPath.get(path);
    if (file === undefined || finished.has(path)) return;
    if (trail.includes(path)) {
      faults.push(`import cycle: ${[...trail.slice(trail.indexOf(path)), path].join(" -> ")}`);
      return;
    }
    for (const { target } of file.imports) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const file of files) visit(file.path, []);
  return faults;
}

/** Applies every rule to the whole tree; empty when the tree is tidy. */
export function findFaults(files: readonly SourceFile[]): string[] {
  const parsed = files.map(parse);
  const code = parsed.filter((file) => CODE.includes(file.path.split("/")[0] ?? ""));
  const perFile = [importFaults, packageFaults, banFaults, sizeFaults, wordFaults];
  return [
    ...code.flatMap((file) => perFile.flatMap((rule) => rule(file))),
    ...orphanFaults(code),
    ...exportFaults(code),
    ...twinFaults(code),
    ...cycleFaults(code),
  ].sort();
}
