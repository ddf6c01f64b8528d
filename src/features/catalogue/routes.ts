/**
 * The catalogue's routes (docs/interface.md#catalogue). Reference data is encoded once at start and needs no database. Entries
 * are rows of the workspace; their routes are in `entries.ts`.
 */
import { createHash } from "node:crypto";
import { type Static, type TSchema, Type } from "typebox";
import { BuiltinPlatform, CatalogueTypes, ProductView } from "../../domain/catalogue.ts";
import { isRefusal } from "../../domain/errors.ts";
import { SensorProfile } from "../../domain/sensorProfile.ts";
import { VERB_TYPES, VerbType } from "../../domain/verbs.ts";
import { pageOf, WHOLE_QUERY } from "../../http/page.ts";
import { type RequestFacts, type Route, route } from "../../http/route.ts";
import { BUILTINS } from "./builtins.ts";
import { type EntryParts, entryRoutes } from "./entries.ts";
import { type Published, resolveProducts } from "./products.ts";
import { SENSOR_PROFILES } from "./sensorProfiles.ts";
import { CATALOGUE } from "./types/catalogueTypes.ts";

const TAG = "Catalogue";

/** Encoded once; a client that has these bytes already gets 304. */
function constantOf(data: unknown) {
  const bytes = Buffer.from(JSON.stringify({ ok: true, data }));
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
  return {
    given: (request: RequestFacts) =>
      request.header("if-none-match") === etag
        ? ({ status: 304, headers } as const)
        : ({ status: 200, bytes, contentType: "application/json", headers } as const),
  };
}

/** A GET whose answer is a constant of the build or of the configuration. */
function reference<S extends TSchema>(path: string, summary: string, schema: S, data: Static<S>): Route {
  const { given } = constantOf(data);
  return route({
    method: "GET",
    path,
    access: "member",
    tag: TAG,
    summary,
    reply: { 200: schema, 304: null },
    errors: [],
    handle: ({ request }) => given(request),
  });
}

/** As `reference`, for a list, with pages. */
function referenceList<S extends TSchema>(path: string, summary: string, item: S, items: readonly Static<S>[]): Route {
  const { given } = constantOf(items);
  const places = new Map(items.map((one, i) => [one, String(i).padStart(6, "0")]));
  return route({
    method: "GET",
    path,
    access: "member",
    tag: TAG,
    summary,
    query: Type.Object(WHOLE_QUERY),
    reply: { 200: Type.Array(item), 304: null },
    errors: ["invalid_input"],
    handle({ request, query, refuse }) {
      if (query.limit === undefined && query.cursor === undefined) return given(request);
      const page = pageOf(path, query, items, (one) => places.get(one)!);
      return isRefusal(page) ? refuse(page) : { status: 200, ...page };
    },
  });
}

export function catalogueRoutes(parts: EntryParts & { readonly config: Published }): Route[] {
  return [
    referenceList("/api/catalog/builtins", "Built-in platforms", BuiltinPlatform, BUILTINS),
    reference(
      "/api/catalog/products",
      "Products and how each is connected here",
      Type.Object({ products: Type.Array(ProductView) }),
      {
        products: resolveProducts(parts.config),
      },
    ),
    referenceList("/api/catalog/sensor-profiles", "Placeable sensor models", SensorProfile, SENSOR_PROFILES),
    reference("/api/catalogue/types", "The catalogue of types", CatalogueTypes, CATALOGUE),
    referenceList("/api/catalogue/verbs", "Every verb, with the schema of its parameters", VerbType, VERB_TYPES),
    ...entryRoutes(parts),
  ];
}
