/**
 * The catalogue's routes (docs/interface.md#catalogue). Reference data is encoded once at start and needs no database;
 * entries are rows of the workspace and have a file of their own.
 */
import { createHash } from "node:crypto";
import { type TSchema, Type } from "typebox";
import { BuiltinPlatform, CatalogueTypes, ProductView } from "../../domain/catalogue.ts";
import { SensorProfile } from "../../domain/sensorProfile.ts";
import { type Route, route } from "../../http/route.ts";
import { BUILTINS } from "./builtins.ts";
import { type EntryParts, entryRoutes } from "./entries.ts";
import { type Published, resolveProducts } from "./products.ts";
import { SENSOR_PROFILES } from "./sensorProfiles.ts";
import { CATALOGUE } from "./types/catalogueTypes.ts";

const TAG = "catalogue";
/** A GET whose answer is a constant of the build or of the configuration. */
function reference<S extends TSchema>(path: string, summary: string, schema: S, data: unknown): Route {
  const bytes = Buffer.from(JSON.stringify({ ok: true, data }));
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
  return route({
    method: "GET",
    path,
    access: "member",
    tag: TAG,
    summary,
    reply: { 200: schema, 304: null },
    errors: [],
    handle: ({ request }) =>
      request.header("if-none-match") === etag
        ? { status: 304, headers }
        : { status: 200, bytes, contentType: "application/json", headers },
  });
}

export function catalogueRoutes(parts: EntryParts & { readonly config: Published }): Route[] {
  return [
    reference("/api/catalog/builtins", "Built-in platforms", Type.Array(BuiltinPlatform), BUILTINS),
    reference(
      "/api/catalog/products",
      "Products and how each is connected here",
      Type.Object({ products: Type.Array(ProductView) }),
      {
        products: resolveProducts(parts.config),
      },
    ),
    reference("/api/catalog/sensor-profiles", "Placeable sensor models", Type.Array(SensorProfile), SENSOR_PROFILES),
    reference("/api/catalogue/types", "The catalogue of types", CatalogueTypes, CATALOGUE),
    ...entryRoutes(parts),
  ];
}
