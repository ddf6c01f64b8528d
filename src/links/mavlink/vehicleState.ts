/** What commands and later messages need to know of one vehicle: who it is to MAVLink, where it is, how well it is heard. */

import type { PlatformSource } from "../../domain/platformReport.ts";
import type { LandedState } from "../../domain/platformStates.ts";
import { isOfCamera } from "./camera.ts";
import { type Order, Sequence } from "./sequence.ts";

/** Loss is counted over so many frames of one component. */
const LOSS_WINDOW_FRAMES = 100;
const BOOT_CLOCK_BACK_MS = 2000;
const CAMERA_SILENT_MS = 5000;

export class VehicleState {
  readonly source: PlatformSource;
  readonly sysid: number;
  readonly peer: { readonly address: string; readonly port: number };
  /** Its autopilot: the only component that speaks for the vehicle; commands go to it, but for those of a camera. */
  compid = 1;
  /** A camera that is a component of its own; null: none was heard, and the autopilot takes the orders for it. */
  camera: { readonly compid: number; readonly heardMs: number } | null = null;
  autopilot = 0;
  mavType = 0;
  lastHeardMs = 0;
  /** Of its autopilot: other components speak for themselves. */
  heartbeatMs = 0;
  lat: number | null = null;
  lon: number | null = null;
  altMslM: number | null = null;
  altRelM: number | null = null;
  speedMps = 0;
  /** By its own clock. */
  attitude: { readonly headingDeg: number; readonly bootMs: number } | null = null;
  /** Height of mean sea level above the ellipsoid here; null: not told. */
  undulationM: number | null = null;
  /** That its heights are above the sea was said. */
  isDatumTold = false;
  home: { readonly lat: number; readonly lon: number; readonly altMslM: number } | null = null;
  /** The first of its batteries, by number; null: none was heard. */
  batteryId: number | null = null;
  armed = false;
  landed: LandedState = "undefined";
  /** Addresses, some of them where there are many. */
  conflicts: readonly string[] = [];
  conflictCount = 0;
  conflictsToldMs = 0;
  lossPct: number | null = null;
  rttMs: number | null = null;
  /** The message rates that are wanted were asked for since it was started. */
  isSubscribed = false;
  #bootMs = 0;
  /** Of each of its components. */
  readonly #sequences = new Map<number, Sequence>();
  #seen = 0;
  #missed = 0;

  constructor(source: PlatformSource, sysid: number, peer: VehicleState["peer"]) {
    this.source = source;
    this.sysid = sysid;
    this.peer = peer;
  }

  /** The component that a command goes to. */
  recipientOf(command: number): number {
    return isOfCamera(command) && this.camera !== null ? this.camera.compid : this.compid;
  }

  /** The first that is heard stays the one, until it falls silent. */
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

  /** Its own clock as its positions tell it, milliseconds since it was started. One that goes back, by more than packets overtake, began anew. */
  noteBootClock(bootMs: number): void {
    if (bootMs < this.#bootMs - BOOT_CLOCK_BACK_MS) this.isSubscribed = false;
    this.#bootMs = bootMs;
  }

  /** How the frame's number follows the one before of its component; the loss over the window comes of it. */
  noteSeq(compid: number, seq: number, nowMs: number): Order {
    let sequence = this.#sequences.get(compid);
    if (sequence === undefined) {
      sequence = new Sequence();
      this.#sequences.set(compid, sequence);
    }
    const { order, missed } = sequence.note(seq, nowMs);
    if (order === "repeated") return order;
    this.#seen++;
    // A late one was counted as lost when it was passed by.
    this.#missed = Math.max(0, order === "reordered" ? this.#missed - 1 : this.#missed + missed);
    if (this.#seen >= LOSS_WINDOW_FRAMES) {
      this.lossPct = Math.round((1000 * this.#missed) / (this.#seen + this.#missed)) / 10;
      this.#seen = 0;
      this.#missed = 0;
    }
    return order;
  }
}
