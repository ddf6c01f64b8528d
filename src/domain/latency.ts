/**
 * `lat_ms` of domain events (docs/interface.md#events): how long something took to reach the stream, milliseconds. Pure.
 */
import { type Static, Type } from "typebox";
import { nullable, Shape } from "./shape.ts";

export const LatencyMs = Shape("LatencyMs", {
  ingest: nullable(Type.Number({ description: "from measurement to receipt; null where nothing was measured" })),
  fuse: nullable(Type.Number({ description: "from receipt to fusion; null where nothing was fused" })),
  emit: Type.Number({ description: "from the change to its event" }),
});
export type LatencyMs = Static<typeof LatencyMs>;

/** For an event that follows from no measurement, such as a task or an alert. */
export const DECIDED: LatencyMs = { ingest: null, fuse: null, emit: 0 };

export function latencyOf(measuredAtMs: number, receivedAtMs: number, fusedAtMs: number, nowMs: number): LatencyMs {
  return {
    ingest: Math.round(receivedAtMs - measuredAtMs),
    fuse: Math.max(0, Math.round(fusedAtMs - receivedAtMs)),
    emit: Math.max(0, Math.round(nowMs - fusedAtMs)),
  };
}
