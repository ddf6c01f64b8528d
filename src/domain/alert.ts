/** An alert: something that an operator must know and may have to act on (docs/interface.md#events). */
import { type Static, Type } from "typebox";
import { Shape, UtcTime } from "./shape.ts";

export const AlertFacts = Type.Object({
  code: Type.String(),
  level: Type.Enum(["advisory", "caution", "warning"] as const),
  title: Type.String(),
  text: Type.String(),
  subject: Type.Object({ kind: Type.String(), id: Type.String() }),
});
export type AlertFacts = Static<typeof AlertFacts>;

export const Alert = Shape("Alert", {
  ...AlertFacts.properties,
  id: Type.String(),
  state: Type.Enum(["active", "acknowledged", "silenced", "cleared", "suppressed"] as const),
  count: Type.Integer({ description: "how often it was raised; it is told once" }),
  first_at: UtcTime,
  last_at: UtcTime,
  actions: Type.Array(Type.Enum(["ack", "silence", "clear"] as const)),
});
export type Alert = Static<typeof Alert>;
