/**
 * Decides what of a room's changes is told on the stream, and how often (docs/interface.md#track-updates): track updates at
 * most five a second and track, slices on change, sampled observations, explain when asked for. Encoding is the hub's.
 */
import type { SliceEvent } from "../../domain/events.ts";
import type { FusionHealth } from "../../domain/health.ts";
import { DECIDED, latencyOf } from "../../domain/latency.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import {
  FLEET_SLICE_BYTES_PER_S,
  FLEET_SLICE_PERIOD_MAX_MS,
  OBS_EVENTS_PER_SOURCE_HZ,
  TRACK_UPDATE_PERIOD_MS,
} from "../../limits.ts";
import { type EncodedSlice, encodeSlice } from "../../stream/frames.ts";
import { integrationsOf } from "../forces/integrations.ts";
import type { ScanInput } from "../intake/inbox.ts";
import type { LiveRoom } from "../liveRoom.ts";
import type { LiveTrack } from "../tracks/liveTrack.ts";
import type { PictureChanges, RemovedTrack } from "../tracks/tracks.ts";
import { knownHeightM, toDelta } from "../tracks/trackWire.ts";
import type { PictureBodies } from "./encodedPicture.ts";

/** Covariances, counters and contributors go out once a second and track; the core with every update. */
const CONTINUOUS_PERIOD_MS = 1000;
const SLICE_PERIOD_MS = 1000;
/** Takes some milliseconds to encode and to hand to the clients. */
const LARGE_SLICE_BYTES = 256 << 10;
/** A flush comes every 50 or 100 ms give or take a timer's slip; an update due within it is told now. */
const SLIP_MS = 20;

export class Announcer {
  readonly #room: LiveRoom;
  readonly #bodies: PictureBodies;
  /** Tracks that changed and were not told yet, in order of change. */
  readonly #pending = new Set<LiveTrack>();
  #slicesAtMs = 0;
  #toldSources = "";
  #toldFleet = "";
  #toldLive = 0;
  #fleetDueMs = 0;
  #fleetWaitMs = 0;
  #wasQuiet = true;
  #fleetToldMs = 0;
  #toldObservations = 0;
  #toldState = "";
  /** The slices that change with the registry, as told last: most of its changes are of one of them. */
  readonly #toldJson = new Map<SliceEvent, string>();
  #isHeard = false;

  constructor(room: LiveRoom, bodies: PictureBodies) {
    this.#room = room;
    this.#bodies = bodies;
  }

  noteStep(inputs: readonly ScanInput[], changes: PictureChanges, nowMs: number): void {
    for (const track of changes.updated) this.#pending.add(track);
    for (const removed of changes.removed) this.#tellRemoved(removed, nowMs);
    if (this.#room.hub.wants("obs")) for (const input of inputs) this.#tellObservations(input, nowMs);
    if (this.#room.hub.wants("fusion_explain"))
      for (const explain of this.#room.tracker?.takeExplains() ?? []) this.#room.hub.publishExplain({ explain });
  }

  /** Something besides the estimate changed: told with the next flush, however lately it was told. */
  noteChanged(tracks: readonly LiveTrack[]): void {
    for (const track of tracks) {
      track.toldAtMs = 0;
      this.#pending.add(track);
    }
  }

  /** What is due now. Called before each flush. */
  announce(nowMs: number): void {
    const isQuiet = this.#pending.size === 0;
    const isLull = isQuiet && !this.#wasQuiet;
    this.#wasQuiet = isQuiet;
    this.#tellTracks(nowMs);
    const { hub, sources, forces } = this.#room;
    const isDue = nowMs - this.#slicesAtMs >= SLICE_PERIOD_MS;
    if (isDue) {
      this.#slicesAtMs = nowMs;
      sources.refresh(nowMs);
      forces.refresh(nowMs);
    }
    const wasHeard = this.#isHeard;
    this.#isHeard = hub.sessions > 0;
    if (!this.#isHeard) return;
    // Who came to a room that nobody heard is told every slice as it is now, after this flush.
    if (!wasHeard) this.#noteOpening(nowMs);
    if (isDue) this.#tellSlices(nowMs);
    this.#tellFleet(nowMs, isLull);
  }

  #noteOpening(nowMs: number): void {
    const { forces } = this.#room;
    this.#toldSources = this.#registered;
    for (const { name, json } of this.#registeredSlices(nowMs)) this.#toldJson.set(name, json);
    this.#toldJson.set("fleet_slice", this.#fleetJson(nowMs));
    this.#toldFleet = this.#fleetVersion;
    this.#toldLive = forces.liveVersion;
    this.#fleetToldMs = nowMs;
    this.#noteHealth(this.#room.fusionHealth());
  }

  #tellTracks(nowMs: number): void {
    if (this.#pending.size === 0) return;
    const { hub } = this.#room;
    const heard = hub.wants("track_update");
    const context = this.#room.wireContext(nowMs);
    for (const track of this.#pending) {
      if (nowMs - track.toldAtMs < TRACK_UPDATE_PERIOD_MS - SLIP_MS) continue;
      this.#pending.delete(track);
      track.toldAtMs = nowMs;
      if (!heard) {
        // Nobody selects it: it is numbered, not built. Whoever comes next starts with a snapshot.
        track.toldGeneration = hub.publishUnwanted("track_update", nowMs);
        track.changedMembers.clear();
        continue;
      }
      const payload = {
        at: toRfc3339(nowMs),
        env: this.#room.environment,
        lat_ms: latencyOf(track.measuredAtUs / 1000, track.receivedAtMs, track.updatedAtMs, nowMs),
        track: toDelta(track, context, CONTINUOUS_PERIOD_MS),
      };
      track.toldGeneration = hub.publish("track_update", payload, nowMs);
    }
  }

  #tellRemoved({ track, reason, mergedInto }: RemovedTrack, nowMs: number): void {
    // Told even when no update was: a snapshot may have shown it.
    this.#pending.delete(track);
    this.#room.hub.publish(
      "track_removed",
      {
        at: toRfc3339(nowMs),
        env: this.#room.environment,
        lat_ms: DECIDED,
        track_id: track.id,
        number: track.number,
        reason,
        merged_into: mergedInto,
        last: track.bearingOnly
          ? null
          : {
              lat: track.lat,
              lon: track.lon,
              alt_hae_m: knownHeightM(track, this.#room.wireContext(nowMs)),
              at: toRfc3339(track.measuredAtUs / 1000),
            },
      },
      nowMs,
    );
  }

  #tellObservations({ scan, wire }: ScanInput, nowMs: number): void {
    const source = this.#room.sources.get(scan.sourceId)?.sensor;
    if (source === undefined || wire.length === 0) return;
    if (nowMs - source.lastObsEventAtMs < 1000 / OBS_EVENTS_PER_SOURCE_HZ) return;
    source.lastObsEventAtMs = nowMs;
    this.#room.hub.publish(
      "obs",
      {
        at: toRfc3339(nowMs),
        env: this.#room.environment,
        lat_ms: latencyOf(scan.measuredAtUs / 1000, scan.receivedAtUs / 1000, nowMs, nowMs),
        observation: {
          ...wire[0],
          source_id: source.id,
          modality: scan.modality,
          measured_at: toRfc3339(scan.measuredAtUs / 1000),
        },
        tick: this.#room.tick,
        track_id: null,
        outcome: "accepted",
      },
      nowMs,
    );
  }

  get #registered(): string {
    return `${this.#room.sources.version} ${this.#room.forces.version}`;
  }

  #registeredSlices(nowMs: number): EncodedSlice[] {
    const { sources, forces } = this.#room;
    return [
      encodeSlice("sensor_slice", { sensors: forces.sensorViews(nowMs) }),
      encodeSlice("integration_slice", integrationsOf(sources, forces, nowMs)),
    ];
  }

  #tellSlices(nowMs: number): void {
    if (this.#registered !== this.#toldSources) {
      this.#toldSources = this.#registered;
      for (const { name, json } of this.#registeredSlices(nowMs)) {
        if (this.#toldJson.get(name) === json) continue;
        this.#toldJson.set(name, json);
        this.#room.hub.publishSliceJson(name, json);
      }
    }
    this.#tellHealth();
  }

  /**
   * A change of the registry or the ledger within a second. Telemetry as often as the slice's size allows; a large one goes
   * right after tracks were told, where it holds up the next of them least.
   */
  #tellFleet(nowMs: number, isLull: boolean): void {
    const { hub, forces } = this.#room;
    if (nowMs < this.#fleetToldMs + SLICE_PERIOD_MS) return;
    const changed = this.#fleetVersion;
    if (changed === this.#toldFleet) {
      if (forces.liveVersion === this.#toldLive || nowMs < this.#fleetDueMs) return;
      if (!isLull && nowMs < this.#fleetDueMs + this.#fleetWaitMs) return;
    }
    this.#toldFleet = changed;
    this.#toldLive = forces.liveVersion;
    this.#fleetToldMs = nowMs;
    const json = this.#fleetJson(nowMs);
    const periodMs = Math.max(SLICE_PERIOD_MS, (1000 * json.length) / FLEET_SLICE_BYTES_PER_S);
    this.#fleetDueMs = nowMs + Math.min(FLEET_SLICE_PERIOD_MAX_MS, periodMs);
    this.#fleetWaitMs = json.length > LARGE_SLICE_BYTES ? SLICE_PERIOD_MS : 0;
    // A change of the registry need not be one of the vehicles.
    if (this.#toldJson.get("fleet_slice") === json) return;
    this.#toldJson.set("fleet_slice", json);
    hub.publishSliceJson("fleet_slice", json);
  }

  #fleetJson(nowMs: number): string {
    return `{"assets":${this.#bodies.forces.vehiclesJson(nowMs)}}`;
  }

  get #fleetVersion(): string {
    return `${this.#room.forces.version} ${this.#room.forces.ledger.version}`;
  }

  #tellHealth(): void {
    const health = this.#room.fusionHealth();
    if (this.#noteHealth(health)) this.#room.hub.publishSlice("live_state", { fusion_health: health });
  }

  /** False: it is as it was told. */
  #noteHealth({ state: word, tracks, dropped, obs_in: observations }: FusionHealth): boolean {
    const drops = Object.values(dropped).join(" ");
    const state = `${word} ${tracks.tentative} ${tracks.confirmed} ${tracks.coasting} ${drops}`;
    if (observations === this.#toldObservations && state === this.#toldState) return false;
    this.#toldObservations = observations;
    this.#toldState = state;
    return true;
  }
}
