/** Request bodies of the registry (docs/interface.md#assets, #registration). Rows and views are in `domain/asset.ts`. */
import { type Static, type TBoolean, Type } from "typebox";
import { AssetSwitches, Placement } from "../../domain/asset.ts";
import { PayloadSpec, PlatformPerformance } from "../../domain/catalogue.ts";
import { maybe } from "../../domain/members.ts";
import { Shape } from "../../domain/shape.ts";
import { Line, Name } from "../../domain/text.ts";
import { PAYLOADS_PER_ASSET_MAX } from "../../limits.ts";

export const Word = Line(200);
const Kind = Type.Enum(["vehicle", "sensor"] as const);

/** Open here, because the rule that checks it refuses with a code of its own. */
const Spec = Type.Unknown({ description: "free object of the asset", "x-type": "object" });
/** A switch that is null goes back to its default. */
export const SwitchesPatch = Shape(
  "AssetSwitchesPatch",
  Object.fromEntries(Object.keys(AssetSwitches.properties).map((name) => [name, maybe(Type.Boolean())])) as Record<
    keyof typeof AssetSwitches.properties,
    ReturnType<typeof maybe<TBoolean>>
  >,
);
export type SwitchesPatch = Static<typeof SwitchesPatch>;

export const Payloads = Type.Union([Type.Array(PayloadSpec, { maxItems: PAYLOADS_PER_ASSET_MAX }), Type.Null()], {
  description: "a list replaces the fit, [] is an empty fit, null inherits the model's",
});

export const RegisterAsset = Shape("RegisterAsset", {
  name: Name,
  catalog_name: maybe(Word),
  domain: maybe(Word),
  kind: maybe(Kind),
  connection: maybe(
    Type.Object({
      address: Type.Optional(Type.Union([Word, Type.Null()], { description: "identity of the registration" })),
      protocol: maybe(Word),
      port: maybe(Type.Integer({ minimum: 1, maximum: 65_535 })),
      system_id: maybe(Word),
      link_id: maybe(Word),
      secret_ref: maybe(Word),
    }),
  ),
  spec: Type.Optional(Spec),
  remote_id_serial: maybe(Word),
  placement: maybe(Placement),
  payloads: Type.Optional(Payloads),
  switches: maybe(SwitchesPatch),
  performance: maybe(PlatformPerformance),
});
export type RegisterAsset = Static<typeof RegisterAsset>;

export const EditAsset = Shape("EditAsset", {
  spec: Spec,
  kind: maybe(Kind),
  model: maybe(Word),
  name: maybe(Name),
  performance: maybe(PlatformPerformance),
  placement: maybe(Placement),
  switches: maybe(SwitchesPatch),
  expected_version: maybe(
    Type.Integer({ minimum: 1, description: "refused with version_conflict when the row has another" }),
  ),
});
export type EditAsset = Static<typeof EditAsset>;
