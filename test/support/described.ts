/**
 * Checks answers against the service's own OpenAPI description: status, content type and shape. Stricter than the
 * description in one respect: a member that it does not name is a fault.
 */
import responseValidator from "openapi-response-validator";
import { closeObjects } from "../../src/http/validate.ts";
import type { Answered } from "./picket.ts";

const OpenAPIResponseValidator = responseValidator.default ?? responseValidator;

type Json = Record<string, unknown>;

interface Media {
  readonly content?: Record<string, { readonly schema: unknown }>;
}

interface Description {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Media> }>>;
  readonly components: { readonly schemas?: Record<string, unknown> };
}

/** The validator takes a later dialect than 3.0.3, in which an exclusive bound is the number itself. */
function withNumericBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNumericBounds);
  if (typeof schema !== "object" || schema === null) return schema;
  const out = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, withNumericBounds(part)]));
  for (const [bound, exclusive] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (typeof out[exclusive] !== "boolean") continue;
    if (out[exclusive]) {
      out[exclusive] = out[bound];
      delete out[bound];
    } else delete out[exclusive];
  }
  return out;
}

const strict = (schema: unknown) => withNumericBounds(closeObjects(schema)) as Json;

export interface Described {
  /** The faults of an answer of `method` `path`, as written in the route table; empty when it is as described. */
  faultsOf(method: string, path: string, answer: Answered): string[];
}

export function readDescription(description: Description): Described {
  const schemas = Object.fromEntries(
    Object.entries(description.components.schemas ?? {}).map(([name, schema]) => [name, strict(schema)]),
  );
  const components = { schemas } as Json;
  const validators = new Map<string, InstanceType<typeof OpenAPIResponseValidator>>();
  const validatorOf = (label: string, schema: unknown) => {
    const found = validators.get(label);
    if (found !== undefined) return found;
    const made = new OpenAPIResponseValidator({
      responses: { 200: { schema: strict(schema) } },
      components,
    });
    validators.set(label, made);
    return made;
  };
  return {
    faultsOf(method, path, { status, headers, text, body }) {
      const label = `${method} ${path} ${status}`;
      const response = description.paths[path]?.[method.toLowerCase()]?.responses[status];
      if (response === undefined) return [`${label} is not described: ${text.slice(0, 200)}`];
      if (response.content === undefined) return text === "" ? [] : [`${label} has a body`];
      const type = (headers.get("content-type") ?? "").split(";")[0]!;
      const media = response.content[type] ?? response.content["*/*"];
      if (media === undefined)
        return [`${label} is ${type || "without a type"}, not ${Object.keys(response.content).join()}`];
      if (!type.endsWith("json")) return [];
      const found = validatorOf(`${label} ${type}`, media.schema).validateResponse("200", body);
      return (found?.errors ?? []).map((error: unknown) => `${label}: ${JSON.stringify(error)}`);
    },
  };
}
