/**
 * The builder of the catalogue's rows. A row counts only if it has a code in a public scheme, or if it names the fields in
 * which it differs from its nearest neighbour and does differ in them (docs/interface.md#catalogue-types, the counting rule of
 * ADR 0061; a test checks both).
 */
import type { Anchor, CatalogueDomain, CatalogueType } from "../../../domain/catalogue.ts";

const SCHEMES = {
  MAV: "mav_type",
  ODID: "odid_ua_type",
  ADSB: "adsb_emitter_category",
  SAP: "sapient_node_type",
  AST: "asterix_item",
  LAT: "lattice_sensor_type",
  SRC: "public_source",
} as const satisfies Record<string, Anchor["scheme"]>;

/** "MAV:2 ODID:2" */
function anchors(codes: string): Anchor[] {
  return codes.split(" ").map((text) => {
    const colon = text.indexOf(":");
    const scheme = SCHEMES[text.slice(0, colon) as keyof typeof SCHEMES];
    if (scheme === undefined) throw new Error(`the catalogue has no scheme for the anchor "${text}"`);
    return { scheme, code: text.slice(colon + 1) };
  });
}

/** Protocols over which an uncrewed aircraft with an autopilot is commanded or received. */
export const CONTROLLED_AIRCRAFT = [
  "mavlink2",
  "mavlink_remote_id",
  "odid_wifi_ble",
  "astm_f3411_netrid",
  "cot_xml",
  "rest_push",
];

type Defaults = CatalogueType["defaults"];

interface FamilyFacts {
  readonly domain: CatalogueDomain;
  readonly family: string;
  readonly kind: CatalogueType["kind"];
  readonly protocols: readonly string[];
  readonly contrast?: boolean;
  /** Defaults of all rows; a row's own come first. */
  readonly defaults?: Defaults;
}

interface RowFacts {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly defaults?: Defaults;
  readonly protocols?: readonly string[];
  readonly kind?: CatalogueType["kind"];
  readonly contrast?: boolean;
}
/** Codes of public schemes, or the nearest neighbour and the differing fields. */
type Row = RowFacts &
  ({ readonly codes: string } | { readonly differsFrom: string; readonly in: readonly [string, ...string[]] });

export function family(facts: FamilyFacts, rows: readonly Row[]): CatalogueType[] {
  return rows.map((row) => {
    const own = "differsFrom" in row ? { from: row.differsFrom, fields: [...row.in] } : null;
    return {
      key: row.key,
      title: row.title,
      domain: facts.domain,
      family: facts.family,
      kind: row.kind ?? facts.kind,
      anchor:
        "codes" in row
          ? anchors(row.codes)
          : [{ scheme: "own", code: `differs from ${row.differsFrom} in ${row.in.join(", ")}` }],
      differs: own,
      required_fields: ["type", "domain", ...(own?.fields ?? [])],
      defaults: { ...facts.defaults, ...row.defaults },
      protocol_families: [...(row.protocols ?? facts.protocols)],
      contrast: row.contrast ?? facts.contrast ?? false,
      description: row.description,
    };
  });
}
