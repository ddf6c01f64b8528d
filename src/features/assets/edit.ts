/**
 * The rules of an edit and of a pairing (docs/interface.md#assets). Pure: row in; out comes the new row or a refusal. An edit
 * merges into the spec, so that it never loses the serial or the model.
 */
import type { Asset } from "../../domain/asset.ts";
import type { ResolvedModel } from "../../domain/catalogue.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { whyNotFree } from "../../domain/freeObject.ts";
import { cleanName } from "../../domain/text.ts";
import { canonicalJson } from "../../lib/canonicalJson.ts";
import type { Discovered } from "../../room/face.ts";
import { kindOf, patchSwitches } from "./register.ts";
import { isAddress, whyNotHost, whyNotPlacement, whyNotSpec } from "./rules.ts";
import type { EditAsset } from "./schema.ts";

interface Edit {
  readonly row: Asset;
  /** The catalogue's model of the row as it is; null: the catalogue has none of that name. */
  readonly current: ResolvedModel | null;
  /** The vehicle that carries it; null: none, or it was removed. */
  readonly host: Asset | null;
  /** Whether it carries sensors. */
  readonly isHost: boolean;
  readonly find: (id: string) => { readonly row: Asset } | undefined;
  readonly body: EditAsset;
  /** The catalogue's model of `editedModelOf(row, body)`. null: there is no such model; undefined: the edit names none. */
  readonly model: ResolvedModel | null | undefined;
}

/** The model that the edit names; null: it keeps the one that the row has. */
export function editedModelOf(row: Asset, { model, spec }: EditAsset): string | null {
  const inSpec = typeof spec === "object" && spec !== null ? (spec as { model?: unknown }).model : undefined;
  const named = model ?? (typeof inSpec === "string" ? inSpec : null);
  return named === row.spec.model ? null : named;
}

type NoEdit = Refusal<
  | "invalid_input"
  | "invalid_spec"
  | "invalid_position"
  | "domain_mismatch"
  | "model_unknown"
  | "carried_sensor"
  | "spec_not_object"
  | "version_conflict"
>;

export function decideEdit(edit: Edit): Asset | NoEdit {
  const { row, body, model } = edit;
  const spec = whyNotSpec(body.spec, "spec_not_object");
  if (spec !== null) return spec;
  if (body.expected_version != null && body.expected_version !== row.version)
    return refusal("version_conflict", `the asset has version ${row.version}, not ${body.expected_version}`);
  const misplaced = whyNotPlaced(edit);
  if (misplaced !== null) return misplaced;
  const named = editedModelOf(row, body);
  if (named !== null && model == null) return refusal("model_unknown", `the model ${named} is not in the catalogue`);
  const miscast = whyNotKind(edit);
  if (miscast !== null) return miscast;
  const { model: _model, remote_id_serial: _serial, ...given } = body.spec as Record<string, unknown>;
  const kept = model == null ? row.spec.model : model.name;
  const merged = { ...row.spec, ...given, ...(kept === undefined ? {} : { model: kept }) };
  const grown = whyNotFree(merged, "spec, with what it holds already,");
  if (grown !== null) return refusal("invalid_spec", grown);
  return {
    ...row,
    name: body.name == null ? row.name : cleanName(body.name),
    kind: body.kind ?? row.kind,
    domain: model?.spec.domain ?? row.domain,
    spec: merged,
    performance: body.performance == null ? row.performance : mergePerformance(row.performance, body.performance),
    placement: body.placement ?? row.placement,
    switches: patchSwitches(row.switches, body.switches),
  };
}

function whyNotPlaced({ row, host, find, body: { placement } }: Edit): NoEdit | null {
  if (placement == null) return null;
  const offEarth = whyNotPlacement(placement);
  if (offEarth !== null) return offEarth;
  // A client may send the placement back as it read it.
  if (canonicalJson(placement) === canonicalJson(row.placement)) return null;
  const { host_asset_id: hostId } = placement;
  const hostless = whyNotHost(hostId, row.id, find);
  if (hostless !== null) return hostless;
  // An edit with another `host_asset_id`, or null, takes the sensor off its host. Without it the edit places it by hand.
  if (host === null || (hostId !== undefined && hostId !== host.id)) return null;
  return refusal("carried_sensor", `${row.name} is carried by ${host.name} and is placed with it, not by hand`);
}

/** As in registration the model decides the kind, so neither changes without the other. */
function whyNotKind({ row, current, isHost, body, model }: Edit): NoEdit | null {
  // The same model in another spelling is no change, unless the row disagrees with the catalogue.
  const isModelNew = model != null && (model.name !== row.spec.model || model.spec.domain !== row.domain);
  const wanted = body.kind ?? row.kind;
  if (!isModelNew && wanted === row.kind) return null;
  const of = model ?? current;
  // Where the catalogue has no model the operator decides.
  const kind = of === null ? wanted : kindOf(of, { kindGuess: wanted, typeGuess: null });
  if (kind === "sensor" && row.kind !== kind && isHost)
    return refusal(
      "invalid_input",
      `${row.name} carries sensors, and a sensor can carry none: place them elsewhere first`,
    );
  if (kind === null) return refusal("invalid_spec", `${of?.name} is a ${of?.kind}: no asset can be made of it`);
  if (kind === wanted) return null;
  return refusal("domain_mismatch", `${of?.name} is a ${kind}, and ${row.name} would be a ${wanted}`);
}

/** null takes a figure back to the model's. */
function mergePerformance(
  own: Asset["performance"],
  patch: NonNullable<EditAsset["performance"]>,
): Asset["performance"] {
  const merged = Object.entries({ ...own, ...patch }).filter(([, value]) => value !== null);
  return merged.length === 0 ? null : (Object.fromEntries(merged) as Asset["performance"]);
}

/** `found`: what the key names. A key that names nothing may be a serial that is heard later (ADR 0073), but not an address. */
export function whyNotKey(key: string, found: readonly Discovered[]): Refusal<"invalid_input" | "not_found"> | null {
  if (found.length > 1) {
    const name = `${key}/${found[0]!.systemId}`;
    return refusal("invalid_input", `${found.length} vehicles are heard at ${key}: name one by its key, or as ${name}`);
  }
  if (found.length === 1 || !isAddress(key)) return null;
  return refusal("not_found", `${key} is an address, and nothing is heard there: bind a key of GET /api/discoveries`);
}

/** `owner`: the asset that has the key already, by its serial or by its link; null: none. */
export function decideBind(
  row: Asset,
  key: string,
  serial: string,
  owner: Asset | null,
): Asset | Refusal<"already_bound" | "already_paired"> {
  if (owner !== null && owner.id !== row.id)
    return refusal("already_bound", `${key} is already bound to ${owner.name}`);
  if (row.remote_id_serial !== null)
    return refusal("already_paired", `${row.name} is already paired with ${row.remote_id_serial}`);
  return { ...row, remote_id_serial: serial, spec: { ...row.spec, remote_id_serial: serial } };
}
