/** Status reports -> health of a node. Pure; the node's position is read by `detections.ts`. */
import type { HealthComponentReport, PlatformReport } from "../../domain/platformReport.ts";
import type { HealthLevel } from "../../domain/platformStates.ts";
import type { Fields } from "./messages.ts";

const GOODBYE = 5;
const INFO_UNCHANGED = 2;
const WARNING_STATUS = 3;
const ERROR_STATUS = 4;
const POWER_FAULT = 2;
const ENTRIES_MAX = 16;
const HEALTH: Readonly<Record<number, HealthLevel>> = { 1: "ok", 2: "warn", 3: "fail" };

function componentsOf(entries: readonly Fields[]): HealthComponentReport[] {
  const countOfType = new Map<number, number>();
  return entries.slice(0, ENTRIES_MAX).map((entry) => {
    const type = Number(entry.statusType ?? 0);
    const ordinal = (countOfType.get(type) ?? 0) + 1;
    countOfType.set(type, ordinal);
    // Several entries of one type are several faults.
    const name = ordinal === 1 ? String(type) : `${type}_${ordinal}`;
    return {
      id: `status_${name}`,
      name: `Status ${name.replace("_", " ")}`,
      level: entry.statusLevel === ERROR_STATUS ? "fail" : entry.statusLevel === WARNING_STATUS ? "warn" : "ok",
      message: String(entry.statusValue ?? "").slice(0, 200),
      code: null,
    };
  });
}

export function readStatus(status: Fields): Omit<PlatformReport, "source" | "atMs"> {
  const power = status.power as Fields | undefined;
  const entries = (status.status as Fields[] | undefined) ?? [];
  // Only "unchanged" may leave out conditions that still hold; otherwise an absent one is over.
  const isSilent = status.info === INFO_UNCHANGED && entries.length === 0;
  return {
    healthLevel: HEALTH[Number(status.system)] ?? "unknown",
    ...(isSilent ? {} : { components: componentsOf(entries), areAllComponents: true }),
    conflicts: [],
    ...(typeof power?.level === "number"
      ? {
          power: {
            percent: Math.min(100, Math.max(0, power.level)),
            state: power.status === POWER_FAULT ? "failed" : "ok",
          },
        }
      : {}),
    ...(typeof status.mode === "string" ? { nav: { mode: status.mode.slice(0, 64) } } : {}),
    ...(status.system === GOODBYE ? { goodbye: true } : {}),
  };
}
