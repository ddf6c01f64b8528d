/** What the service says of itself (contract §13). `degraded` is in the body; the status is 200 while it answers. */
import { type Static, Type } from "typebox";
import { Shape } from "./shape.ts";

export const HealthReport = Shape("HealthReport", {
  status: Type.Enum(["ok", "degraded", "down"] as const),
  version: Type.String(),
  build: Type.String(),
  uptime_s: Type.Integer(),
  at: Type.String({ format: "date-time" }),
  checks: Type.Object({ db: Type.String(), tracker: Type.String(), mail: Type.String(), disk: Type.String() }),
  latency_ms: Type.Object({ p50: Type.Number(), p99: Type.Number() }),
  streams: Type.Integer(),
});
export type HealthReport = Static<typeof HealthReport>;
