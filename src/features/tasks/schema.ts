/** AssetCommand and the answers of the ledger (docs/interface.md#commands, #tasks). The task itself is the domain's. */
import { type Static, Type } from "typebox";
import { maybe, prose, text } from "../../domain/members.ts";
import { nullable, Shape } from "../../domain/shape.ts";
import { ANY_PARAMS } from "../../domain/verbParams.ts";

const Id = Type.String({ minLength: 1, maxLength: 64 });

export const AssetCommand = Shape("AssetCommand", {
  verb: text(64, "one of the asset's verbs"),
  // Checked when the verb is known to be one of the asset's, because a refused command is written with any parameters.
  params: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
      description: "of the kind that the verb takes; may be absent or null where that is none",
      "x-described-as": ANY_PARAMS,
    }),
  ),
  idempotency_key: maybe(text(128, "the same key is the same task")),
  reason: maybe(prose(1000, "why, for the log")),
  deadline_at: maybe(Type.String({ format: "date-time", description: "the task must have ended by then" })),
  plan_id: maybe(Id),
  threat_id: maybe(Id),
  dry_run: Type.Optional(Type.Boolean({ description: "answers what would happen; writes no task" })),
  confirm: maybe(Type.String({ maxLength: 200, description: "the asset's name, where the verb requires it" })),
});
export type AssetCommand = Static<typeof AssetCommand>;

export const DryRun = Shape("DryRun", {
  would: Type.Object({
    status: Type.Enum(["queued", "refused"] as const),
    reason: nullable(Type.String()),
    estimate: Type.Union([Type.Object({ distance_m: Type.Number(), eta_s: nullable(Type.Number()) }), Type.Null()]),
  }),
});
export type DryRun = Static<typeof DryRun>;
