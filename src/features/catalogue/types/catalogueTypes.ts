/** The catalogue of types as it is served. Part of the build: one build serves the same bytes always. */
import { createHash } from "node:crypto";
import type { CatalogueType, CatalogueTypes, DomainSpecSchema } from "../../../domain/catalogue.ts";
import { VERSION } from "../../../lib/version.ts";
import { AIR_TYPES } from "./air.ts";
import { domainSchemas } from "./domainSchemas.ts";
import { EQUIPMENT_TYPES } from "./equipment.ts";
import { PROTOCOL_FAMILIES } from "./protocolFamilies.ts";
import { SENSOR_TYPES } from "./sensors.ts";
import { SURROUNDING_TYPES } from "./surroundings.ts";

export const TYPES: readonly CatalogueType[] = [
  ...AIR_TYPES,
  ...SURROUNDING_TYPES,
  ...SENSOR_TYPES,
  ...EQUIPMENT_TYPES,
];
export const TYPE_BY_KEY: ReadonlyMap<string, CatalogueType> = new Map(TYPES.map((type) => [type.key, type]));

export const DOMAIN_SCHEMAS: readonly DomainSpecSchema[] = domainSchemas((domain) =>
  TYPES.filter((type) => type.domain === domain).map((type) => type.key),
);

const hash = createHash("sha256")
  .update(JSON.stringify([TYPES, PROTOCOL_FAMILIES, DOMAIN_SCHEMAS]))
  .digest("hex");

export const CATALOGUE: CatalogueTypes = {
  generated: `${VERSION}+${hash.slice(0, 16)}`,
  types: [...TYPES],
  protocol_families: [...PROTOCOL_FAMILIES],
  schema: [...DOMAIN_SCHEMAS],
};
