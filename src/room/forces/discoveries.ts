/**
 * Discoveries (docs/interface.md#discoveries): platforms on links, and sources that push observations. Pure; reads the
 * registry through the fleet only.
 */

import { adoptionKey } from "../../domain/adoptionKey.ts";
import type { Discovery } from "../../domain/link.ts";
import { OWN_POSITIONS_SOURCE, PUSHED } from "../../domain/platformReport.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import { FORGOTTEN_AFTER_MS, INTEGRATION_ACTIVE_WITHIN_MS } from "../../limits.ts";
import type { Sensor } from "../sensors/sensor.ts";
import type { Sensors } from "../sensors/sensors.ts";
import { domainGuess } from "./assetView.ts";
import type { Fleet } from "./fleet.ts";
import type { Platform } from "./platform.ts";

/** Unregistered sensors that reported lately. */
export function candidateSensors(sensors: Sensors, nowMs: number): Sensor[] {
  return [...sensors.all()].filter((sensor) => isUnregistered(sensor) && !isExpired(sensor, nowMs));
}

/** True when a client pushed observations lately; the room's own positions do not count. */
export function isPushedLately(sensors: Sensors, nowMs: number): boolean {
  for (const { id, protocol, lastHeardAtMs } of sensors.all())
    if (protocol === PUSHED && id !== OWN_POSITIONS_SOURCE && nowMs - lastHeardAtMs < INTEGRATION_ACTIVE_WITHIN_MS)
      return true;
  return false;
}

/** True for a sensor that reported observations and is not in the registry. */
export function isUnregistered({ id, registered, firstHeardAtMs }: Sensor): boolean {
  return !registered && firstHeardAtMs > 0 && id !== OWN_POSITIONS_SOURCE;
}

function isExpired({ lastHeardAtMs }: Sensor, nowMs: number): boolean {
  return nowMs - lastHeardAtMs > FORGOTTEN_AFTER_MS;
}

/**
 * A sensor under the name that it reports by. Its key depends on the name alone: it must stay adopted or ignored when a link
 * replaces the client that pushed it.
 */
function sensorDiscovery(sensor: Sensor, name: string, fleet: Fleet, nowMs: number): Discovery {
  const pose = sensor.lastPose;
  const key = sourceKey(name);
  const asset = fleet.byKey(key);
  const state = isExpired(sensor, nowMs) ? "expired" : "heard";
  return {
    key,
    protocol: sensor.protocol ?? PUSHED,
    address: name,
    system_id: null,
    kind_guess: "sensor",
    domain_guess: "sensor",
    type_guess: sensor.modality,
    model_guess: null,
    remote_id_serial: null,
    motion: pose === null ? null : { lat: pose.lat, lon: pose.lon, alt_hae_m: pose.alt_hae_m },
    first_heard_at: toRfc3339(sensor.firstHeardAtMs),
    last_heard_at: toRfc3339(sensor.lastHeardAtMs),
    messages: sensor.scans,
    state: asset !== undefined ? "adopted" : fleet.isIgnored(key) ? "ignored" : state,
    adopted_asset_id: asset?.row.id ?? null,
    conflicts: [],
  };
}

export function sourceKey(sourceId: string): string {
  return adoptionKey(PUSHED, sourceId, sourceId);
}

function platformDiscovery(platform: Platform, fleet: Fleet, nowMs: number): Discovery {
  const { motion, source } = platform;
  const asset = fleet.assetOf(platform.key);
  const isOld = nowMs - platform.lastHeardMs > FORGOTTEN_AFTER_MS;
  return {
    key: platform.key,
    protocol: source.protocol,
    address: source.address,
    system_id: source.systemId,
    kind_guess: platform.kindGuess,
    domain_guess: domainGuess(platform),
    type_guess: platform.typeGuess,
    model_guess: platform.modelGuess,
    remote_id_serial: platform.remoteIdSerial,
    motion: motion === null ? null : { lat: motion.lat, lon: motion.lon, alt_hae_m: motion.alt_hae_m ?? null },
    first_heard_at: toRfc3339(platform.firstHeardMs),
    last_heard_at: toRfc3339(platform.lastHeardMs),
    messages: platform.messages,
    state: asset !== undefined ? "adopted" : fleet.isIgnored(platform.key) ? "ignored" : isOld ? "expired" : "heard",
    adopted_asset_id: asset?.row.id ?? null,
    conflicts: [...platform.conflicts],
  };
}

/** All that was heard, adopted or not. */
export function discoveriesOf(sensors: Sensors, fleet: Fleet, nowMs: number): Discovery[] {
  const found = Array.from(fleet.platforms(), (platform) => platformDiscovery(platform, fleet, nowMs));
  const addresses = new Set(found.map(({ address }) => address));
  for (const sensor of sensors.all()) {
    if (!isUnregistered(sensor)) continue;
    // A node that is heard as a platform and also pushes observations is listed once.
    if (addresses.has(sensor.id)) continue;
    found.push(sensorDiscovery(sensor, sensor.id, fleet, nowMs));
  }
  for (const { row } of fleet.assets()) {
    const name = row.connection?.protocol === PUSHED ? row.connection.system_id : null;
    const sensor = name === null ? undefined : sensors.get(name);
    // Only where the sensor of this name has become the asset's own.
    if (name === null || sensor?.id !== row.id || sensor.firstHeardAtMs === 0 || addresses.has(name)) continue;
    found.push(sensorDiscovery(sensor, name, fleet, nowMs));
  }
  return found;
}
