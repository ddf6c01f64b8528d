/**
 * Schemas that a description says more than once move to components/schemas and are referred to. The observation alone
 * stands in nine places; unhoisted it made the description forty times longer. Pure; names come from the first place.
 */
type Json = Record<string, unknown>;

/** Shorter ones are easier to read where they stand. */
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

/** A name from the nearest member that holds it, or else from the last literal word of the route. */
function nameFrom(schema: Json, path: readonly string[], taken: ReadonlySet<string>): string {
  const isFailure =
    isObject(schema.properties) &&
    "error" in schema.properties &&
    "code" in schema.properties &&
    "ok" in schema.properties;
  const literal = (path[0] ?? "").split("/").filter((part) => part !== "" && !part.startsWith("{"));
  const telling = path.slice(1).filter((part) => !SILENT.test(part));
  const base = isFailure ? "Failure" : pascal(telling.at(-1) ?? literal.at(-1) ?? "Shape");
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}${n}`;
  return name;
}

function countShapes(value: unknown, counts: Map<string, number>): void {
  if (Array.isArray(value)) for (const part of value) countShapes(part, counts);
  else if (isObject(value)) {
    if (isSchema(value)) {
      const key = JSON.stringify(value);
      const count = (counts.get(key) ?? 0) + 1;
      if (key.length >= LENGTH_MIN) counts.set(key, count);
      // What stands inside a repeated shape is repeated by it, not by itself.
      if (count > 1 && key.length >= LENGTH_MIN) return;
    }
    for (const part of Object.values(value)) countShapes(part, counts);
  }
}

/** The same paths with references, and the schemas that they refer to. */
export function hoistRepeated(paths: Json): { paths: Json; schemas: Json } {
  const counts = new Map<string, number>();
  countShapes(paths, counts);
  const names = new Map<string, string>();
  const schemas: Json = {};
  const move = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((part, i) => move(part, [...path, String(i)]));
    if (!isObject(value)) return value;
    const members = () =>
      Object.fromEntries(Object.entries(value).map(([key, part]) => [key, move(part, [...path, key])]));
    const key = isSchema(value) ? JSON.stringify(value) : "";
    if ((counts.get(key) ?? 0) < 2) return members();
    let name = names.get(key);
    if (name === undefined) {
      name = nameFrom(value, path, new Set(names.values()));
      names.set(key, name);
      schemas[name] = members();
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  return { paths: move(paths, []) as Json, schemas };
}
