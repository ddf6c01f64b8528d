/**
 * JSON Schema as TypeBox writes it, lowered to the dialect of OpenAPI 3.0.3: `nullable` for null unions, one-value `enum`
 * for constants, boolean exclusive bounds, no tuples and no patternProperties. Pure.
 */
type Json = Record<string, unknown>;

const isNull = (schema: Json) => schema.type === "null";

function typeOfValues(values: readonly unknown[]): string | undefined {
  const types = new Set(values.filter((value) => value !== null).map((value) => typeof value));
  return types.size === 1 ? [...types][0] : undefined;
}

/** `nullable` alone does not allow null where there is an enum, so the enum gets it as well. */
function allowNull(schema: Json): Json {
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: (schema.anyOf as Json[]).map(allowNull) };
  if (schema.type === undefined) return schema;
  const values = schema.enum as unknown[] | undefined;
  return {
    ...schema,
    nullable: true,
    ...(values ? { enum: [...values.filter((value) => value !== null), null] } : {}),
  };
}

function lowerUnion(schema: Json, branches: readonly Json[]): Json {
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
  const others = branches.filter((branch) => !isNull(branch));
  const hasNull = others.length < branches.length;
  const constants = others.filter((branch) => "const" in branch);
  if (others.length > 1 && constants.length === others.length) {
    const values = constants.map((branch) => branch.const);
    const lowered: Json = { ...lowerSchema(rest), type: typeOfValues(values) ?? "string", enum: values };
    return hasNull ? allowNull(lowered) : lowered;
  }
  const lowered = others.map((branch) => lowerSchema(branch));
  const joined =
    lowered.length === 1 ? { ...lowered[0], ...lowerSchema(rest) } : { ...lowerSchema(rest), anyOf: lowered };
  return hasNull ? allowNull(joined) : joined;
}

/** A tuple becomes an array of its members' types with a fixed length. */
function lowerItems(schema: Json, out: Json): void {
  const items = schema.items;
  if (!Array.isArray(items)) {
    if (items !== undefined) out.items = lowerSchema(items as Json);
    return;
  }
  const distinct = [...new Map(items.map((item) => [JSON.stringify(item), lowerSchema(item as Json)])).values()];
  out.items = distinct.length === 1 ? distinct[0] : { anyOf: distinct };
  out.minItems = items.length;
  out.maxItems = items.length;
}

function lowerMembers(schema: Json, out: Json): void {
  if (schema.properties !== undefined)
    out.properties = Object.fromEntries(
      Object.entries(schema.properties as Record<string, Json>).map(([name, part]) => [name, lowerSchema(part)]),
    );
  const patterns = Object.values((schema.patternProperties ?? {}) as Record<string, Json>);
  if (patterns.length > 0) out.additionalProperties = patterns.length === 1 ? lowerSchema(patterns[0]!) : true;
  else if (typeof schema.additionalProperties === "object")
    out.additionalProperties = lowerSchema(schema.additionalProperties as Json);
  else if (schema.additionalProperties !== undefined) out.additionalProperties = schema.additionalProperties;
}

const COPIED = [
  "type",
  "title",
  "description",
  "default",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "required",
  "enum",
  "example",
  "deprecated",
  "readOnly",
  "x-unit",
] as const;

/** What the edge leaves to a rule, whose refusal has a code of its own, is described by the schema that the rule checks. */
function described(given: Json): Json {
  const { description } = given;
  return { ...(given["x-described-as"] as Json), ...(description === undefined ? {} : { description }) };
}

export function lowerSchema(given: object): Json {
  const schema = "x-described-as" in given ? described(given) : (given as Json);
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (branches !== undefined) return lowerUnion(schema, branches);
  if (Array.isArray(schema.type))
    return lowerUnion(
      { ...schema, type: undefined },
      schema.type.map((type) => ({ ...schema, type }) as Json),
    );
  if (isNull(schema)) return { type: "string", nullable: true, enum: [null] };
  const out: Json = {};
  for (const key of COPIED) if (schema[key] !== undefined) out[key] = schema[key];
  // The schema leaves the type to a rule that refuses with a special code; the description names it all the same.
  if (typeof schema["x-type"] === "string") out.type = schema["x-type"];
  if ("const" in schema) out.enum = [schema.const];
  if (Array.isArray(out.enum) && out.type === undefined) out.type = typeOfValues(out.enum) ?? "string";
  if (Array.isArray(schema.examples)) out.example = schema.examples[0];
  if (typeof schema.exclusiveMinimum === "number")
    Object.assign(out, { minimum: schema.exclusiveMinimum, exclusiveMinimum: true });
  if (typeof schema.exclusiveMaximum === "number")
    Object.assign(out, { maximum: schema.exclusiveMaximum, exclusiveMaximum: true });
  if (Array.isArray(schema.allOf)) out.allOf = (schema.allOf as Json[]).map(lowerSchema);
  lowerItems(schema, out);
  lowerMembers(schema, out);
  return out;
}
