/**
 * Puts registered sensors among the room's sensors, with their profile and their placement. A carried sensor has its host's
 * position, as long as the host reports one.
 */
import type { Placement } from "../../domain/asset.ts";
import { type BlindSector, isSamePose, type SensorPose, type Siting } from "../../domain/sensorProfile.ts";
import type { Sensors } from "../sensors/sensors.ts";
import type { Fleet, FleetAsset } from "./fleet.ts";
import type { Platform } from "./platform.ts";

/** A host that is still heard but has reported no position for this long has an unknown position. */
const HOST_MOTION_AGE_MAX_MS = 10_000;
/** One sigma of an unknown height: the variation of the ground within one workspace. */
const HEIGHT_UNKNOWN_SIGMA_M = 150;
/** Mean sea level is within twice this of the ellipsoid everywhere on earth. */
const GEOID_SIGMA_M = 50;

interface Placed {
  readonly pose: SensorPose | null;
  readonly siting: Siting | null;
}

const UNPLACED: Placed = { pose: null, siting: null };

function placedOf({ placement }: FleetAsset["row"]): Placed {
  if (placement === null) return UNPLACED;
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
  // Without a terrain model a height above ground gives no height above the ellipsoid (docs/interface.md#placement).
  if (altM == null)
    return { pose, siting: { sigmaM, northSigmaDeg, heightSigmaM: HEIGHT_UNKNOWN_SIGMA_M, heightAglM } };
  return { pose, siting: sigmaM === 0 && northSigmaDeg === 0 ? null : { sigmaM, northSigmaDeg } };
}

function toBlindSector(sector: NonNullable<Placement["blind_sectors"]>[number]): BlindSector {
  return { azFromDeg: sector.az_from_deg, azToDeg: sector.az_to_deg, elMaxDeg: sector.el_max_deg ?? 90 };
}

function placedOn({ state, motion, motionAtMs, lastHeardMs }: Platform, { placement }: FleetAsset["row"]): Placed {
  if (state === "lost" || state === "closed" || motion === null) return UNPLACED;
  if (lastHeardMs - motionAtMs > HOST_MOTION_AGE_MAX_MS) return UNPLACED;
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
  readonly #sensors: Sensors;
  /** Carried sensors by their host. */
  readonly #guests = new Map<string, Set<string>>();
  readonly #hostOf = new Map<string, string>();

  constructor(fleet: Fleet, sensors: Sensors) {
    this.#fleet = fleet;
    this.#sensors = sensors;
  }

  /** Takes effect with the sensor's next scan. */
  place(asset: FleetAsset): void {
    const { row, profile } = asset;
    this.#leave(row.id);
    if (row.kind !== "sensor" || profile === null) return;
    const host = row.placement?.host_asset_id;
    if (host == null) {
      this.#put(asset, placedOf(row));
      return;
    }
    if (!this.#guests.has(host)) this.#guests.set(host, new Set());
    this.#guests.get(host)!.add(row.id);
    this.#hostOf.set(row.id, host);
    this.#put(asset, this.#placedOn(host, asset));
  }

  remove(id: string): void {
    this.#leave(id);
    this.#sensors.remove(id);
    this.moveGuests(id);
  }

  /** The host moved, fell silent or is gone. */
  moveGuests(hostId: string): void {
    const guests = this.#guests.get(hostId);
    if (guests === undefined) return;
    for (const id of guests) {
      const asset = this.#fleet.get(id);
      if (asset === undefined) continue;
      const placed = this.#placedOn(hostId, asset);
      if (!isSamePose(this.#sensors.get(id)?.pose ?? null, placed.pose)) this.#put(asset, placed);
    }
  }

  /** Once a second, because no report says that a host fell silent. */
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

  #placedOn(hostId: string, { row }: FleetAsset): Placed {
    const platform = this.#fleet.get(hostId)?.platform ?? null;
    return platform === null ? UNPLACED : placedOn(platform, row);
  }

  #put({ row, profile }: FleetAsset, { pose, siting }: Placed): void {
    if (profile === null) return;
    const sensor = this.#sensors.place(row.id, profile, pose, siting, row.connection?.address ?? null);
    // The last pose of a sensor without a place must not be shown as its position.
    if (pose === null) sensor.lastPose = null;
  }
}
