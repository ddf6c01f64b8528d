/**
 * What becomes of an edit, a pairing and a change of payloads (§4.2.4 to §4.2.8). Pure: row in, row out, or the refusal.
 * An edit is a read-modify-write of the spec: it never loses the serial or the model.
 */
import type { Asset } from "../../domain/asset.ts";
import type { ResolvedModel } from "../../domain/catalogue.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { cleanName } from "../../domain/text.ts";
import { canonicalJson } from "../../lib/canonicalJson.ts";
import { patchSwitches } from "./register.ts";
import { whyNotPlacement, whyNotSpec } from "./rules.ts";
import type { EditAsset } from "./schema.ts";

export interface Edit {
  readonly row: Asset;
  /** What carries it; null: nothing, or what did is gone. */
  readonly host: Asset | null;
  readonly body: EditAsset;
  /** The catalogue's word on `editedModelOf(row, body)`; null: there is no such model. Not asked: undefined. */
  readonly model: ResolvedModel | null | undefined;
}

/** The model name that the edit brings; null when it keeps the one that the row has. */
export function editedModelOf(row: Asset, { model, spec }: EditAsset): string | null {
  const inSpec = typeof spec === "object" && spec !== null ? (spec as { model?: unknown }).model : undefined;
  const named = model ?? (typeof inSpec === "string" ? inSpec : null);
  return named === row.spec.model ? null : named;
}

export function decideEdit({ row, host, body, model }: Edit): Asset | Refusal {
  const spec = whyNotSpec(body.spec, "spec_not_object");
  if (spec !== null) return spec;
  if (body.expected_version !== undefined && body.expected_version !== row.version)
    return refusal("version_conflict", `the asset has version ${row.version}, not ${body.expected_version}`);
  if (body.placement != null) {
    const placement = whyNotPlacement(body.placement);
    if (placement !== null) return placement;
    // Sent back as it was read, it is no placing.
    const isMoved = canonicalJson(body.placement) !== canonicalJson(row.placement);
    if (host !== null && isMoved)
      return refusal("carried_sensor", `${row.name} is carried by ${host.name} and is placed with it, not by hand`);
  }
  const named = editedModelOf(row, body);
  if (named !== null && model == null) return refusal("model_unknown", `the model ${named} is not in the catalogue`);
  if (model != null && (model.kind === "sensor") !== (row.kind === "sensor"))
    return refusal("domain_mismatch", `${model.name} is a ${model.kind}, and ${row.name} is a ${row.kind}`);
  const { model: _model, remote_id_serial: _serial, ...given } = body.spec as Record<string, unknown>;
  const kept = model == null ? row.spec.model : model.name;
  return {
    ...row,
    name: body.name == null ? row.name : cleanName(body.name),
    kind: body.kind ?? row.kind,
    domain: model?.spec.domain ?? row.domain,
    spec: { ...row.spec, ...given, ...(kept === undefined ? {} : { model: kept }) },
    performance: body.performance == null ? row.performance : mergePerformance(row.performance, body.performance),
    placement: body.placement ?? row.placement,
    switches: patchSwitches(row.switches, body.switches),
  };
}

/** A figure that is null goes back to the model's. */
function mergePerformance(
  own: Asset["performance"],
  patch: NonNullable<EditAsset["performance"]>,
): Asset["performance"] {
  const merged = Object.entries({ ...own, ...patch }).filter(([, value]) => value !== null);
  return merged.length === 0 ? null : (Object.fromEntries(merged) as Asset["performance"]);
}

/** `owner` is the asset that the key belongs to already, by its serial or by its link. */
export function decideBind(row: Asset, key: string, serial: string, owner: Asset | null): Asset | Refusal {
  if (owner !== null && owner.id !== row.id)
    return refusal("already_bound", `${key} is already bound to ${owner.name}`);
  if (row.remote_id_serial !== null)
    return refusal("already_paired", `${row.name} is already paired with ${row.remote_id_serial}`);
  return { ...row, remote_id_serial: serial, spec: { ...row.spec, remote_id_serial: serial } };
}
