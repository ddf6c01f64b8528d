/** Publishes tracks at most five times a second each, ends at once, and observations sampled (docs/interface.md#events). */

import { DECIDED, latencyOf } from "../../domain/latency.ts";
import type { Environment } from "../../domain/modality.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import { OBS_EVENTS_PER_SOURCE_HZ, TRACK_UPDATE_PERIOD_MS } from "../../limits.ts";
import type { Hub } from "../../stream/hub.ts";
import type { ScanInput } from "../intake/inbox.ts";
import type { Sensors } from "../sensors/sensors.ts";
import type { LiveTrack } from "../tracks/liveTrack.ts";
import type { RemovedTrack, TrackChanges } from "../tracks/tracks.ts";
import { knownHeightM, takesAllMembers, toDelta, type WireContext } from "../tracks/trackWire.ts";

/** Covariances, counters and contributors go out once a second per track; the core members with every update. */
const CONTINUOUS_PERIOD_MS = 1000;
/** Flushes come every 50 or 100 ms, give or take a timer's slip; an update that is due within it is sent now. */
const SLIP_MS = 20;

/** The room as the track teller needs it. */
export interface TrackTellerRoom {
  readonly environment: Environment;
  readonly hub: Hub;
  readonly sensors: Sensors;
  readonly tick: number;
  wireContext(nowMs: number): WireContext;
}

export class TrackTeller {
  readonly #room: TrackTellerRoom;
  /** Tracks that changed and were not sent yet, in order of change. */
  readonly #pending = new Set<LiveTrack>();
  /** Tracks whose last update left out the members that are sent once a second. */
  readonly #incomplete = new Set<LiveTrack>();

  constructor(room: TrackTellerRoom) {
    this.#room = room;
  }

  get isQuiet(): boolean {
    return this.#pending.size === 0;
  }

  noteStep(inputs: readonly ScanInput[], changes: TrackChanges, nowMs: number): void {
    for (const track of changes.updated) this.#pending.add(track);
    for (const removed of changes.removed) this.#publishRemoved(removed, nowMs);
    for (const input of inputs) this.#publishObservations(input, nowMs);
  }

  /** A member besides the estimate changed: sent with the next flush, however lately the track was sent. */
  noteChanged(tracks: readonly LiveTrack[]): void {
    for (const track of tracks) {
      track.sentAtMs = 0;
      this.#pending.add(track);
    }
  }

  publish(nowMs: number): void {
    // A track whose updates stop is sent once more, with all members.
    for (const track of this.#incomplete)
      if (nowMs - track.sentWholeAtMs >= CONTINUOUS_PERIOD_MS) this.#pending.add(track);
    if (this.#pending.size === 0) return;
    const { hub } = this.#room;
    const isWanted = hub.wants("track_update");
    const context = this.#room.wireContext(nowMs);
    for (const track of this.#pending) {
      if (nowMs - track.sentAtMs < TRACK_UPDATE_PERIOD_MS - SLIP_MS) continue;
      this.#pending.delete(track);
      track.sentAtMs = nowMs;
      const hasAllMembers = takesAllMembers(track, nowMs, CONTINUOUS_PERIOD_MS);
      if (hasAllMembers) this.#incomplete.delete(track);
      else this.#incomplete.add(track);
      if (!isWanted) {
        // No session wants it: it gets a number and no payload. The next session starts with a snapshot.
        track.sentGeneration = hub.publishUnwanted("track_update", nowMs);
        track.changedMembers.clear();
        continue;
      }
      const payload = {
        at: toRfc3339(nowMs),
        env: this.#room.environment,
        lat_ms: latencyOf(track.measuredAtUs / 1000, track.receivedAtMs, track.updatedAtMs, nowMs),
        track: toDelta(track, context, hasAllMembers),
      };
      track.sentGeneration = hub.publish("track_update", payload, nowMs);
    }
  }

  #publishRemoved({ track, reason, mergedInto }: RemovedTrack, nowMs: number): void {
    // Published even if no update was: a snapshot may have shown the track.
    this.#pending.delete(track);
    this.#incomplete.delete(track);
    const last = track.bearingOnly
      ? null
      : {
          lat: track.lat,
          lon: track.lon,
          alt_hae_m: knownHeightM(track, this.#room.wireContext(nowMs)),
          at: toRfc3339(track.measuredAtUs / 1000),
        };
    const common = { at: toRfc3339(nowMs), env: this.#room.environment, lat_ms: DECIDED };
    const { id: track_id, number } = track;
    this.#room.hub.publish(
      "track_removed",
      { ...common, track_id, number, reason, merged_into: mergedInto, last },
      nowMs,
    );
  }

  #publishObservations({ scan, wire }: ScanInput, nowMs: number): void {
    const sensor = this.#room.sensors.get(scan.sourceId);
    if (sensor === undefined || wire.length === 0) return;
    if (nowMs - sensor.lastObsEventAtMs < 1000 / OBS_EVENTS_PER_SOURCE_HZ) return;
    sensor.lastObsEventAtMs = nowMs;
    if (!this.#room.hub.wants("obs")) {
      this.#room.hub.publishUnwanted("obs", nowMs);
      return;
    }
    this.#room.hub.publish(
      "obs",
      {
        at: toRfc3339(nowMs),
        env: this.#room.environment,
        lat_ms: latencyOf(scan.measuredAtUs / 1000, scan.receivedAtUs / 1000, nowMs, nowMs),
        observation: {
          ...wire[0],
          source_id: sensor.id,
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
}
