/**
 * Moves schemas that a description repeats to components/schemas and refers to them: the observation alone stands in nine
 * places and made the description forty times longer. A schema with a `title` always moves, because generated code is
 * named after it; the others are named after the first place where they stand. Pure.
 */
type Json = Record<string, unknown>;

/** Shorter schemas are easier to read in place. */
const LENGTH_MIN = 400;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isSchema = (value: Json) => value.type === "object" || Array.isArray(value.anyOf);

/** "sensor_pose" → "SensorPose". */
function pascal(text: string): string {
  const parts = text.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  return parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("");
}

const SILENT =
  /^(items|anyOf|oneOf|allOf|schema|properties|content|additionalProperties|data|responses|requestBody|get|post|delete|\d+|.*\/.*)$/;

/** A nullable schema is another schema, so it gets another name. */
function titleOf({ title, nullable }: Json): string | null {
  return typeof title === "string" ? pascal(title) + (nullable === true ? "OrNull" : "") : null;
}

const isClosed = ({ additionalProperties }: Json) => additionalProperties === false;

/** Titles of schemas that allow unknown members. The same title on a closed schema, as a request body, is another schema. */
function openTitles(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const part of value) openTitles(part, found);
  else if (isObject(value)) {
    const title = isSchema(value) && !isClosed(value) ? titleOf(value) : null;
    if (title !== null) found.add(title);
    for (const part of Object.values(value)) openTitles(part, found);
  }
  return found;
}

/** Its title; for an envelope, the title of its data; else a name from the nearest member or the route that holds it. */
function nameFrom(schema: Json, path: readonly string[], open: ReadonlySet<string>): string {
  const title = titleOf(schema);
  if (title !== null) return isClosed(schema) && open.has(title) ? `${title}Input` : title;
  const members = isObject(schema.properties) ? schema.properties : {};
  if ("ok" in members && "code" in members) return "Failure";
  const data = "ok" in members && isObject(members.data) ? titleOf(members.data) : null;
  if (data !== null) return `${data}Answer`;
  const literal = (path[0] ?? "").split("/").filter((part) => part !== "" && !part.startsWith("{"));
  const telling = path.slice(1).filter((part) => !SILENT.test(part));
  const name = pascal(telling.at(-1) ?? literal.at(-1) ?? "Shape");
  // Titles have precedence over names made from places.
  return open.has(name) ? `${name}Part` : name;
}

function countShapes(value: unknown, counts: Map<string, number>): void {
  if (Array.isArray(value)) for (const part of value) countShapes(part, counts);
  else if (isObject(value)) {
    if (isSchema(value)) {
      const key = JSON.stringify(value);
      const count = (counts.get(key) ?? 0) + 1;
      if (key.length >= LENGTH_MIN) counts.set(key, count);
      // Schemas inside a repeated schema are repeated by it; counting them again would hoist them without need.
      if (count > 1 && key.length >= LENGTH_MIN) return;
    }
    for (const part of Object.values(value)) countShapes(part, counts);
  }
}

/** The same paths with references, and the schemas that they refer to. */
export function hoistRepeated(paths: Json): { paths: Json; schemas: Json } {
  const counts = new Map<string, number>();
  countShapes(paths, counts);
  const open = openTitles(paths);
  const names = new Map<string, string>();
  const nameOf = (schema: Json, key: string, path: readonly string[]): string => {
    const base = nameFrom(schema, path, open);
    const taken = new Set(names.values());
    let name = base;
    for (let n = 2; taken.has(name); n++) name = `${base}${n}`;
    names.set(key, name);
    return name;
  };
  const schemas: Json = {};
  const move = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((part, i) => move(part, [...path, String(i)]));
    if (!isObject(value)) return value;
    const members = () =>
      Object.fromEntries(Object.entries(value).map(([key, part]) => [key, move(part, [...path, key])]));
    const key = isSchema(value) ? JSON.stringify(value) : "";
    if (key === "" || ((counts.get(key) ?? 0) < 2 && titleOf(value) === null)) return members();
    let name = names.get(key);
    if (name === undefined) {
      name = nameOf(value, key, path);
      schemas[name] = members();
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  return { paths: move(paths, []) as Json, schemas };
}
