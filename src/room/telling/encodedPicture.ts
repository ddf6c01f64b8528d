/**
 * The picture as bytes: encoded once a version, shared by every reader (GET /api/tracks, the stream's snapshots). Built
 * when somebody asks, so that a room without readers pays nothing.
 */
import type { EventPayloads } from "../../domain/events.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import { encodeSlice } from "../../stream/frames.ts";
import type { OpeningOptions } from "../../stream/opening.ts";
import { integrationsOf } from "../forces/integrations.ts";
import type { LiveRoom } from "../liveRoom.ts";
import { toWire } from "../tracks/trackWire.ts";
import { ForcesBodies } from "./encodedForces.ts";

/** Nothing engages anybody yet, and nothing is simulated: the part of the picture that `engagement_slice` replaces. */
const ENGAGEMENT: EventPayloads["engagement_slice"] = {
  threats: [],
  plan: null,
  candidate_plans: [],
  sim: { mode: "live", simulator: "none", run: "idle" },
};

export class PictureBodies {
  readonly #room: LiveRoom;
  #version = -1;
  #tracksJson = "[]";
  #tracksBody: Uint8Array | null = null;
  #forces: ForcesBodies | null = null;

  constructor(room: LiveRoom) {
    this.#room = room;
  }

  /** Made at the first look: the room is still being built when these bodies are. */
  get forces(): ForcesBodies {
    this.#forces ??= new ForcesBodies(this.#room.forces, () => this.#room.sources.version);
    return this.#forces;
  }

  /** Every live track, a JSON array. */
  tracksJson(nowMs: number): string {
    const { picture } = this.#room;
    if (picture.version !== this.#version) {
      this.#version = picture.version;
      const context = this.#room.wireContext(nowMs);
      this.#tracksJson = JSON.stringify(Array.from(picture.tracks(), (track) => toWire(track, context)));
      this.#tracksBody = null;
    }
    return this.#tracksJson;
  }

  /** The whole answer of an unfiltered GET /api/tracks, envelope included. */
  tracksBody(nowMs: number): Uint8Array {
    const tracks = this.tracksJson(nowMs);
    this.#tracksBody ??= Buffer.from(`{"ok":true,"data":${tracks}}`);
    return this.#tracksBody;
  }

  /** What a stream begins with. */
  get opening(): OpeningOptions {
    return {
      snapshot: (nowMs) => ({ tracksJson: this.tracksJson(nowMs), generation: this.#room.generation }),
      slices: (nowMs) => this.#slices(nowMs),
    };
  }

  #slices(nowMs: number) {
    const { decisionConfig, forces, sources } = this.#room;
    return [
      encodeSlice("live_state", { engagement_mode: decisionConfig.engagement_mode }),
      encodeSlice("live_state", { fusion_health: this.#room.fusionHealth() }),
      encodeSlice("engagement_slice", ENGAGEMENT),
      { name: "fleet_slice", json: `{"assets":${this.forces.vehiclesJson(nowMs)}}` } as const,
      encodeSlice("sensor_slice", { sensors: forces.sensorViews(nowMs) }),
      encodeSlice("integration_slice", integrationsOf(sources, forces, nowMs)),
    ];
  }

  /** The whole answer of GET /api/picture (docs/interface.md#picture), envelope included. */
  pictureBody(nowMs: number): Uint8Array {
    const room = this.#room;
    const { integrations, candidates } = integrationsOf(room.sources, room.forces, nowMs);
    const head = { generation: room.generation, at: toRfc3339(nowMs), env: room.environment };
    const rest = {
      sensors: room.forces.sensorViews(nowMs),
      ...ENGAGEMENT,
      tasks: [...room.forces.ledger.open()],
      alerts: room.forces.alerts.active(),
      zones: [],
      regions: [],
      rules: [],
      decision_config: { effective: room.decisionConfig, config_hash: room.fusionHealth().config_hash },
      live_state: { engagement_mode: room.decisionConfig.engagement_mode, fusion_health: room.fusionHealth() },
      integrations,
      candidates,
    };
    const open = JSON.stringify(head).slice(0, -1);
    return Buffer.from(
      `{"ok":true,"data":${open},"tracks":${this.tracksJson(nowMs)},"assets":${this.forces.vehiclesJson(nowMs)},${JSON.stringify(rest).slice(1)}}`,
    );
  }
}
