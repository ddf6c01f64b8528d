/**
 * The vehicles of one socket, by address and system id. Bounded for each system id and in all, because any sender can make up
 * more; silent vehicles make room. Knows no frame and no socket.
 */
import { MAVLINK_VEHICLES_PER_LINK_MAX, MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX } from "../../limits.ts";
import type { VehicleState } from "./vehicleState.ts";

const SILENT_AFTER_MS = 10_000;
/** Looking for silent vehicles costs a walk over all of them; a flood must not cause one for each frame. */
const LOOK_AGAIN_MS = 1000;

export function vehicleName(address: string, sysid: number): string {
  return `${address} ${sysid}`;
}

export class VehicleTable {
  readonly #byName = new Map<string, VehicleState>();
  readonly #bySystem = new Map<number, VehicleState[]>();
  #lookedMs = 0;

  get(name: string): VehicleState | undefined {
    return this.#byName.get(name);
  }

  all(): Iterable<VehicleState> {
    return this.#byName.values();
  }

  /** Vehicles with this system id: one, unless ids were given twice. */
  ofSystem(sysid: number): readonly VehicleState[] {
    return this.#bySystem.get(sysid) ?? [];
  }

  hasRoomFor(sysid: number, nowMs: number): boolean {
    if (this.#hasRoom(sysid)) return true;
    if (nowMs - this.#lookedMs < LOOK_AGAIN_MS) return false;
    this.#lookedMs = nowMs;
    this.forgetSilent(SILENT_AFTER_MS, nowMs);
    return this.#hasRoom(sysid);
  }

  add(vehicle: VehicleState): void {
    this.#byName.set(vehicleName(vehicle.source.address, vehicle.sysid), vehicle);
    const twins = this.#bySystem.get(vehicle.sysid);
    if (twins === undefined) this.#bySystem.set(vehicle.sysid, [vehicle]);
    else twins.push(vehicle);
  }

  forgetSilent(afterMs: number, nowMs: number): void {
    for (const [name, vehicle] of this.#byName) {
      if (nowMs - vehicle.lastHeardMs <= afterMs) continue;
      this.#byName.delete(name);
      const twins = this.#bySystem.get(vehicle.sysid)!.filter((one) => one !== vehicle);
      if (twins.length > 0) this.#bySystem.set(vehicle.sysid, twins);
      else this.#bySystem.delete(vehicle.sysid);
    }
  }

  #hasRoom(sysid: number): boolean {
    return (
      this.#byName.size < MAVLINK_VEHICLES_PER_LINK_MAX &&
      this.ofSystem(sysid).length < MAVLINK_VEHICLES_PER_SYSTEM_ID_MAX
    );
  }
}
