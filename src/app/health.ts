/** The health report (docs/interface.md#health): `ok`, or `degraded` with the check that says why. Always answers. */
import { statfs } from "node:fs/promises";
import type { Database } from "../db/client.ts";
import type { HealthReport } from "../domain/health.ts";
import type { EdgeMetrics } from "../http/metrics.ts";
import { type Clock, toRfc3339 } from "../lib/clock.ts";
import { VERSION } from "../lib/version.ts";
import type { Rooms } from "../room/rooms.ts";

const DISK_FREE_BYTES_MIN = 256 << 20;
const DISK_CHECK_PERIOD_MS = 10_000;

interface HealthParts {
  readonly db: Database;
  readonly rooms: Rooms;
  readonly metrics: EdgeMetrics;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly mail: boolean;
}

export function createHealth(parts: HealthParts): () => HealthReport {
  const { db, rooms, metrics, clock } = parts;
  const startedMs = clock.monotonicMs();
  let diskOk = true;
  let diskCheckedMs = Number.NEGATIVE_INFINITY;
  const checkDisk = () => {
    diskCheckedMs = clock.monotonicMs();
    statfs(parts.dataDir).then(
      (disk) => (diskOk = disk.bavail * disk.bsize > DISK_FREE_BYTES_MIN),
      () => (diskOk = true), // No folder yet: nothing is kept on this disk.
    );
  };
  return () => {
    if (clock.monotonicMs() - diskCheckedMs > DISK_CHECK_PERIOD_MS) checkDisk();
    let tracker: "ok" | "degraded" = "ok";
    for (const room of rooms.all()) if (room.overloaded) tracker = "degraded";
    const checks = {
      db: db.state === "up" ? "ok" : db.state,
      tracker,
      mail: parts.mail ? "ok" : "off",
      disk: diskOk ? "ok" : "low",
    } as const;
    const ok = checks.db === "ok" && tracker === "ok" && diskOk;
    return {
      status: ok ? "ok" : "degraded",
      version: VERSION,
      build: process.version,
      uptime_s: Math.round((clock.monotonicMs() - startedMs) / 1000),
      at: toRfc3339(clock.nowMs()),
      checks,
      latency_ms: metrics.latencyMs(),
      streams: metrics.streamsOpen,
    };
  };
}
