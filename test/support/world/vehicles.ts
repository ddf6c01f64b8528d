/** The vehicles of a simulated run: they fly, fall silent, come back on another port, share a system id, answer wrongly. */
import { startVehicle, type Vehicle } from "../../../scripts/demo/vehicle.ts";
import { SITE } from "../../../src/sim/contacts.ts";
import { MAVLINK_PORT, SECOND_MAVLINK_PORT } from "./deployment.ts";
import type { Draws } from "./draws.ts";

const SYSTEM_IDS = [1, 2, 3] as const;
const ON_SECOND_LINK = 3;
const MANNERS = ["obey", "obey", "obey", "deny", "silent", "busy", "slow"] as const;
const TELEMETRY_HZ = 4;

interface Flying {
  readonly systemId: number;
  readonly vehicle: Vehicle;
}

export class Vehicles {
  readonly #draws: Draws;
  #flying: Flying[] = [];
  #returning: { readonly dueMs: number; readonly systemId: number; readonly port: number }[] = [];
  #isCalm = false;

  constructor(draws: Draws) {
    this.#draws = draws;
    for (const systemId of SYSTEM_IDS) this.#start(systemId, 0);
  }

  act(nowMs: number): void {
    for (const { systemId, port } of this.#returning.filter(({ dueMs }) => dueMs <= nowMs)) this.#start(systemId, port);
    this.#returning = this.#returning.filter(({ dueMs }) => dueMs > nowMs);
    if (this.#isCalm || this.#flying.length === 0) return;
    const draws = this.#draws;
    if (draws.chance(0.01)) draws.pick(this.#flying).vehicle.manner = draws.pick(MANNERS);
    if (draws.chance(0.002)) draws.pick(this.#flying).vehicle.batteryPct = draws.pick([5, 15, 60, 90]);
    if (draws.chance(0.002)) this.#stopOne(nowMs);
    // Another vehicle with the same id.
    if (draws.chance(0.0007) && this.#flying.length < 5) this.#start(draws.pick(SYSTEM_IDS), 0);
  }

  /** They do what they are told from now on, and stay. */
  calm(): void {
    this.#isCalm = true;
    for (const { vehicle } of this.#flying) vehicle.manner = "obey";
  }

  async stop(): Promise<void> {
    await Promise.all(this.#flying.map(({ vehicle }) => vehicle.stop()));
  }

  #start(systemId: number, localPort: number): void {
    const draws = this.#draws;
    const options = {
      target: { host: "127.0.0.1", port: systemId === ON_SECOND_LINK ? SECOND_MAVLINK_PORT : MAVLINK_PORT },
      systemId,
      lat: SITE.lat + draws.between(-0.005, 0.005),
      lon: SITE.lon + draws.between(-0.005, 0.005),
      rateHz: TELEMETRY_HZ,
      serial: draws.chance(0.4) ? `SERIAL000${systemId}` : null,
      autopilot: draws.pick([3, 3, 12]),
      localPort,
    };
    void startVehicle(options).then((vehicle) => this.#flying.push({ systemId, vehicle }));
  }

  #stopOne(nowMs: number): void {
    const one = this.#draws.pick(this.#flying);
    this.#flying = this.#flying.filter((other) => other !== one);
    const port = this.#draws.chance(0.5) ? one.vehicle.port : 0;
    void one.vehicle.stop();
    this.#returning.push({ dueMs: nowMs + this.#draws.between(500, 9000), systemId: one.systemId, port });
  }
}
