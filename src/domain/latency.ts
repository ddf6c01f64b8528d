/** `lat_ms` of domain events (contract §14): how long something took on its way here, milliseconds. Pure. */

export interface LatencyMs {
  /** From measurement to receipt; null where nothing was measured. */
  readonly ingest: number | null;
  /** From receipt to fusion; null where nothing was fused. */
  readonly fuse: number | null;
  /** From the change to its event. */
  readonly emit: number;
}

/** Of what somebody or something decided: it is told as it happens. */
export const DECIDED: LatencyMs = { ingest: null, fuse: null, emit: 0 };

export function latencyOf(measuredAtMs: number, receivedAtMs: number, fusedAtMs: number, nowMs: number): LatencyMs {
  return {
    ingest: Math.round(receivedAtMs - measuredAtMs),
    fuse: Math.max(0, Math.round(fusedAtMs - receivedAtMs)),
    emit: Math.max(0, Math.round(nowMs - fusedAtMs)),
  };
}
