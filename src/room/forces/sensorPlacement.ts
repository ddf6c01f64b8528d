/**
 * Registered sensors among the sources of their room: with the facts of their model, where they were placed or are carried.
 * A carried sensor is where its host is, as long as its host tells; a pose is never older than that.
 */
import type { Placement } from "../../domain/asset.ts";
import { type BlindSector, isSamePose, type SensorPose, type Siting } from "../../domain/sensorProfile.ts";
import type { Sensors } from "../sensors/sensors.ts";
import type { Fleet, FleetAsset } from "./fleet.ts";
import type { Platform } from "./platform.ts";

/** A host that goes on to be heard, and tells no position any more, is not where it was. */
const HOST_MOTION_AGE_MAX_MS = 10_000;
/** Of a height that nobody told: what the ground under one workspace differs by, one sigma. */
const HEIGHT_UNKNOWN_SIGMA_M = 150;
/** Mean sea level is within twice this of the ellipsoid everywhere on earth. */
const GEOID_SIGMA_M = 50;

interface Stand {
  readonly pose: SensorPose | null;
  readonly siting: Siting | null;
}

const NOWHERE: Stand = { pose: null, siting: null };

function standOf({ placement }: FleetAsset["row"]): Stand {
  if (placement === null) return NOWHERE;
  const { sigma_m: sigmaM = 0, north_sigma_deg: northSigmaDeg = 0, alt_hae_m: altM } = placement;
  const heightAglM = placement.height_agl_m ?? 0;
  const pose = {
    lat: placement.lat,
    lon: placement.lon,
    alt_hae_m: altM ?? heightAglM,
    yaw_deg: placement.yaw_deg ?? 0,
    pitch_deg: placement.pitch_deg ?? 0,
    roll_deg: placement.roll_deg ?? 0,
    ...(placement.blind_sectors === undefined ? {} : { blindSectors: placement.blind_sectors.map(toBlindSector) }),
  };
  // Without terrain a height above ground is none above the ellipsoid (docs/interface.md#placement).
  if (altM == null)
    return { pose, siting: { sigmaM, northSigmaDeg, heightSigmaM: HEIGHT_UNKNOWN_SIGMA_M, heightAglM } };
  return { pose, siting: sigmaM === 0 && northSigmaDeg === 0 ? null : { sigmaM, northSigmaDeg } };
}

function toBlindSector(sector: NonNullable<Placement["blind_sectors"]>[number]): BlindSector {
  return { azFromDeg: sector.az_from_deg, azToDeg: sector.az_to_deg, elMaxDeg: sector.el_max_deg ?? 90 };
}

function standOn({ state, motion, motionAtMs, lastHeardMs }: Platform, { placement }: FleetAsset["row"]): Stand {
  if (state === "lost" || state === "closed" || motion === null) return NOWHERE;
  if (lastHeardMs - motionAtMs > HOST_MOTION_AGE_MAX_MS) return NOWHERE;
  const { sigma_m: sigmaM = 0, north_sigma_deg: northSigmaDeg = 0 } = placement ?? {};
  const { alt_hae_m: altM } = motion;
  const pose = {
    lat: motion.lat,
    lon: motion.lon,
    alt_hae_m: altM ?? 0,
    yaw_deg: motion.heading_deg ?? 0,
    pitch_deg: 0,
    roll_deg: 0,
  };
  if (altM == null)
    return { pose, siting: { sigmaM, northSigmaDeg, heightSigmaM: HEIGHT_UNKNOWN_SIGMA_M, heightAglM: 0 } };
  if (motion.alt_is_msl === true) return { pose, siting: { sigmaM, northSigmaDeg, heightSigmaM: GEOID_SIGMA_M } };
  return { pose, siting: sigmaM === 0 && northSigmaDeg === 0 ? null : { sigmaM, northSigmaDeg } };
}

export class SensorPlacements {
  readonly #fleet: Fleet;
  readonly #sources: Sensors;
  /** Carried sensors by the asset that carries them. */
  readonly #guests = new Map<string, Set<string>>();
  readonly #hostOf = new Map<string, string>();

  constructor(fleet: Fleet, sources: Sensors) {
    this.#fleet = fleet;
    this.#sources = sources;
  }

  /** From the next scan on, the tracker knows its profile and pose. */
  place(asset: FleetAsset): void {
    const { row, profile } = asset;
    this.#leave(row.id);
    if (row.kind !== "sensor" || profile === null) return;
    const host = row.placement?.host_asset_id;
    if (host == null) {
      this.#put(asset, standOf(row));
      return;
    }
    if (!this.#guests.has(host)) this.#guests.set(host, new Set());
    this.#guests.get(host)!.add(row.id);
    this.#hostOf.set(row.id, host);
    this.#put(asset, this.#standOn(host, asset));
  }

  remove(id: string): void {
    this.#leave(id);
    this.#sources.remove(id);
    this.moveGuests(id);
  }

  /** The host moved, fell silent or is gone. */
  moveGuests(hostId: string): void {
    const guests = this.#guests.get(hostId);
    if (guests === undefined) return;
    for (const id of guests) {
      const asset = this.#fleet.get(id);
      if (asset === undefined) continue;
      const stand = this.#standOn(hostId, asset);
      if (!isSamePose(this.#sources.get(id)?.pose ?? null, stand.pose)) this.#put(asset, stand);
    }
  }

  /** Once a second: silence is no report. */
  refresh(): void {
    for (const hostId of this.#guests.keys()) this.moveGuests(hostId);
  }

  #leave(id: string): void {
    const host = this.#hostOf.get(id);
    if (host === undefined) return;
    this.#hostOf.delete(id);
    const guests = this.#guests.get(host);
    guests?.delete(id);
    if (guests?.size === 0) this.#guests.delete(host);
  }

  #standOn(hostId: string, { row }: FleetAsset): Stand {
    const platform = this.#fleet.get(hostId)?.platform ?? null;
    return platform === null ? NOWHERE : standOn(platform, row);
  }

  #put({ row, profile }: FleetAsset, { pose, siting }: Stand): void {
    if (profile === null) return;
    const source = this.#sources.place(row.id, profile, pose, siting, row.connection?.address ?? null);
    // Where it was last is not where it is.
    if (pose === null) source.lastPose = null;
  }
}
