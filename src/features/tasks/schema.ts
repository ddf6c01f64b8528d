/** AssetCommand and the answers of the ledger (docs/interface.md#commands, #tasks). The task itself is the domain's. */
import { type Static, type TSchema, Type } from "typebox";
import { prose, text } from "../../domain/members.ts";
import { Shape } from "../../domain/shape.ts";

const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const Id = Type.String({ minLength: 1, maxLength: 64 });

export const AssetCommand = Shape("AssetCommand", {
  verb: text(64, "one of the asset's verbs"),
  params: orNull(
    Type.Record(Type.String(), Type.Unknown(), { description: "`kind` and what the verb's params_schema says" }),
  ),
  idempotency_key: orNull(text(128, "the same key is the same task")),
  reason: orNull(prose(1000, "why, for the log")),
  deadline_at: orNull(Type.String({ format: "date-time", description: "it must have ended by then" })),
  plan_id: orNull(Id),
  threat_id: orNull(Id),
  dry_run: Type.Optional(Type.Boolean({ description: "says what would happen; writes no task" })),
  confirm: orNull(Type.String({ maxLength: 200, description: "the asset's name, where the verb asks for it" })),
});
export type AssetCommand = Static<typeof AssetCommand>;

export const DryRun = Shape("DryRun", {
  would: Type.Object({
    status: Type.Enum(["queued", "refused"] as const),
    reason: Type.Union([Type.String(), Type.Null()]),
    estimate: Type.Union([
      Type.Object({ distance_m: Type.Number(), eta_s: Type.Union([Type.Number(), Type.Null()]) }),
      Type.Null(),
    ]),
  }),
});
export type DryRun = Static<typeof DryRun>;
