/**
 * Our forces as bytes: GET /api/assets, the picture, `fleet_slice`. An asset is encoded again only when it changed, and a
 * list only when an asset was. A write shows at once; telemetry shows after at most ASSETS_STALE_MAX_MS.
 */
import { assetInList } from "../../domain/assetInList.ts";
import { ASSETS_STALE_MAX_MS } from "../../limits.ts";
import type { FleetAsset } from "../forces/fleet.ts";
import type { ForcesView } from "../forces/forcesView.ts";
import { TRACK_SOURCE } from "../tracks/trackMotion.ts";

/** Sensor rates and cool-downs change with time alone, so a list is never older than this. */
const AGE_MAX_MS = 1000;

interface Kept {
  /** Versions of everything that the JSON shows. */
  readonly stamp: string;
  readonly json: string;
}

/** Versions of the facts that the encoded forms show. */
interface ForcesVersions {
  /** Version of the registry, the links and the open tasks. */
  readonly fleet: number;
  readonly sensors: number;
  /** Version of the telemetry. */
  readonly live: number;
}

export class EncodedForces {
  readonly #forces: ForcesView;
  readonly #versions: () => ForcesVersions;
  readonly #kept = new Map<string, Kept>();
  #builtAtMs = 0;
  #builtFor = "";
  #builtLive = 0;
  #body: Uint8Array | null = null;

  constructor(forces: ForcesView, versions: () => ForcesVersions) {
    this.#forces = forces;
    this.#versions = versions;
  }

  /** The whole answer of an unfiltered GET /api/assets, envelope included. */
  assetsBody(nowMs: number): Uint8Array {
    const { fleet, sensors, live } = this.#versions();
    const stamp = `${fleet} ${sensors}`;
    const ageMs = nowMs - this.#builtAtMs;
    const isStale = (live !== this.#builtLive && ageMs >= ASSETS_STALE_MAX_MS) || ageMs >= AGE_MAX_MS;
    if (this.#body === null || stamp !== this.#builtFor || isStale) {
      this.#builtAtMs = nowMs;
      this.#builtFor = stamp;
      this.#builtLive = live;
      this.#body = Buffer.from(`{"ok":true,"data":${this.#listJson(null, nowMs)}}`);
    }
    return this.#body;
  }

  /** A JSON array of the vehicles. */
  vehiclesJson(nowMs: number): string {
    return this.#listJson("vehicle", nowMs);
  }

  #listJson(kind: "vehicle" | null, nowMs: number): string {
    const parts: string[] = [];
    for (const asset of this.#forces.fleet.assets())
      if (kind === null || asset.row.kind === kind) parts.push(this.#assetJson(asset, nowMs));
    this.#forgetRemoved();
    return `[${parts.join(",")}]`;
  }

  #assetJson(asset: FleetAsset, nowMs: number): string {
    const { row, platform } = asset;
    if (row.kind === "sensor") return JSON.stringify(assetInList(this.#forces.viewOfAsset(asset, nowMs)));
    const stamp = `${row.version} ${platform?.key} ${platform?.version} ${asset.trackId} ${this.#versions().fleet}`;
    const kept = this.#kept.get(row.id);
    if (kept?.stamp === stamp) return kept.json;
    const view = this.#forces.viewOfAsset(asset, nowMs);
    const json = JSON.stringify(assetInList(view));
    // A track moves without a change of the asset.
    const isOfTrack = asset.trackId !== null && (view.motion === null || view.motion.source === TRACK_SOURCE);
    if (!isOfTrack) this.#kept.set(row.id, { stamp, json });
    return json;
  }

  #forgetRemoved(): void {
    if (this.#kept.size <= this.#forces.fleet.count) return;
    for (const id of this.#kept.keys()) if (this.#forces.fleet.get(id) === undefined) this.#kept.delete(id);
  }
}
