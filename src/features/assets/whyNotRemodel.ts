/**
 * Refuses a change of the catalogue that would turn an asset into another kind of thing: its row, its verbs and its tasks belong
 * to the kind that it is (AS-12, AS-21). Pure; knows no catalogue.
 */
import type { ResolvedModel } from "../../domain/catalogue.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import type { RegisteredAsset } from "../../room/face.ts";
import { kindOf } from "./register.ts";

/** `resolve`: the model as the catalogue would have it after the change; null: it would have none of that name. */
export function whyNotRemodel(
  assets: Iterable<RegisteredAsset>,
  resolve: (name: string) => ResolvedModel | null,
): Refusal<"domain_mismatch"> | null {
  const after = new Map<string, ResolvedModel | null>();
  for (const asset of assets) {
    const name = asset.row.spec.model;
    if (typeof name !== "string") continue;
    if (!after.has(name)) after.set(name, resolve(name));
    const model = after.get(name) ?? null;
    if (model === null || isStill(asset, model)) continue;
    const { row } = asset;
    const what = `a ${row.kind} of the domain ${row.domain}, and ${model.name} would be a ${model.kind} of ${model.spec.domain}`;
    return refusal("domain_mismatch", `${row.name} is ${what}: make another entry, and move it there`);
  }
  return null;
}

/** Where the catalogue had no model before, the row says what it was registered as. */
function isStill({ row, model }: RegisteredAsset, after: ResolvedModel): boolean {
  if (model !== null) return model.kind === after.kind && model.spec.domain === after.spec.domain;
  return after.spec.domain === row.domain && kindOf(after, { kindGuess: row.kind, typeGuess: null }) === row.kind;
}
