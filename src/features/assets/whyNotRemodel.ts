/**
 * May the catalogue say this of models that assets are of? Not when one would become another kind of thing: its row, its
 * verbs and its tasks are those of what it is (AS-12, AS-21). Pure; knows no catalogue.
 */
import type { ResolvedModel } from "../../domain/catalogue.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import type { RegisteredAsset } from "../../room/face.ts";
import { kindOf } from "./register.ts";

/** `resolve` is the catalogue's word on an asset's model as it would be; null: it would know no such model. */
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

/** Where the catalogue knew nothing of it before, the row is what it was registered as. */
function isStill({ row, model }: RegisteredAsset, after: ResolvedModel): boolean {
  if (model !== null) return model.kind === after.kind && model.spec.domain === after.spec.domain;
  return after.spec.domain === row.domain && kindOf(after, { kindGuess: row.kind, typeGuess: null }) === row.kind;
}
