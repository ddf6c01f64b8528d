/** State of one vehicle that orders and later messages need: its MAVLink ids, its position, its link quality. */

import type { PlatformSource } from "../../domain/platformReport.ts";
import type { LandedState } from "../../domain/platformStates.ts";
import { isOfCamera } from "./camera.ts";
import { type Order, Sequence } from "./sequence.ts";

/** Frames of one component over which the loss is computed. */
const LOSS_WINDOW_FRAMES = 100;
const BOOT_CLOCK_BACK_MS = 2000;
const CAMERA_SILENT_MS = 5000;

export class VehicleState {
  readonly source: PlatformSource;
  readonly sysid: number;
  readonly peer: { readonly address: string; readonly port: number };
  /** Component id of its autopilot, which alone speaks for the vehicle and takes its commands, except a camera's. */
  compid = 1;
  /** A camera that is a component of its own; null: none is known, and the autopilot takes camera commands. */
  camera: { readonly compid: number; readonly heardMs: number } | null = null;
  autopilot = 0;
  mavType = 0;
  lastHeardMs = 0;
  /** Last heartbeat of the autopilot; other components do not count. */
  heartbeatMs = 0;
  lat: number | null = null;
  lon: number | null = null;
  altMslM: number | null = null;
  altRelM: number | null = null;
  speedMps = 0;
  /** `bootMs` is by the vehicle's own clock. */
  attitude: { readonly headingDeg: number; readonly bootMs: number } | null = null;
  /** Height of mean sea level above the ellipsoid at its position; null: not reported. */
  undulationM: number | null = null;
  /** The message that its heights are above the sea was reported. */
  isDatumReported = false;
  home: { readonly lat: number; readonly lon: number; readonly altMslM: number } | null = null;
  /** Lowest battery id; null: none was reported. */
  batteryId: number | null = null;
  armed = false;
  landed: LandedState = "undefined";
  /** Addresses of other vehicles with its system id, at most a few of them. */
  conflicts: readonly string[] = [];
  conflictCount = 0;
  conflictsReportedMs = 0;
  lossPct: number | null = null;
  rttMs: number | null = null;
  /** We have requested our message rates since it was started. */
  isSubscribed = false;
  #bootMs = 0;
  /** By component id. */
  readonly #sequences = new Map<number, Sequence>();
  #seen = 0;
  #missed = 0;

  constructor(source: PlatformSource, sysid: number, peer: VehicleState["peer"]) {
    this.source = source;
    this.sysid = sysid;
    this.peer = peer;
  }

  /** The component to which a command goes. */
  recipientOf(command: number): number {
    return isOfCamera(command) && this.camera !== null ? this.camera.compid : this.compid;
  }

  /** The first camera stays in use until it falls silent. */
  noteCamera(compid: number, nowMs: number): void {
    const isOther = this.camera !== null && this.camera.compid !== compid;
    if (!isOther || nowMs - this.camera!.heardMs > CAMERA_SILENT_MS) this.camera = { compid, heardMs: nowMs };
  }

  place(lat: number, lon: number, altMslM: number | null, altRelM: number | null): void {
    this.lat = lat;
    this.lon = lon;
    this.altMslM = altMslM;
    this.altRelM = altRelM;
  }

  /**
   * Takes the vehicle's clock, milliseconds since it was started. If it goes back by more than late packets explain, the
   * vehicle was restarted.
   */
  noteBootClock(bootMs: number): void {
    if (bootMs < this.#bootMs - BOOT_CLOCK_BACK_MS) this.isSubscribed = false;
    this.#bootMs = bootMs;
  }

  /** Takes the sequence number of a frame and updates the loss. */
  noteSeq(compid: number, seq: number, nowMs: number): Order {
    let sequence = this.#sequences.get(compid);
    if (sequence === undefined) {
      sequence = new Sequence();
      this.#sequences.set(compid, sequence);
    }
    const { order, missed } = sequence.note(seq, nowMs);
    if (order === "repeated") return order;
    this.#seen++;
    // A late frame was counted as lost when the next one came.
    this.#missed = Math.max(0, order === "reordered" ? this.#missed - 1 : this.#missed + missed);
    if (this.#seen >= LOSS_WINDOW_FRAMES) {
      this.lossPct = Math.round((1000 * this.#missed) / (this.#seen + this.#missed)) / 10;
      this.#seen = 0;
      this.#missed = 0;
    }
    return order;
  }
}
