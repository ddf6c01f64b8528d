/** Look-ups of registration and binding: platforms and pushing sources that were heard and may become assets. */
import type { AssetView } from "../../domain/asset.ts";
import type { CatalogueDomain } from "../../domain/catalogue.ts";
import { PUSHED } from "../../domain/platformReport.ts";
import type { Sensor } from "../sensors/sensor.ts";
import type { Sensors } from "../sensors/sensors.ts";
import { domainGuess } from "./assetView.ts";
import { isUnregistered, sourceKey } from "./discoveries.ts";
import type { Fleet } from "./fleet.ts";
import type { Platform } from "./platform.ts";

/** A platform of a link, or a pushed source, with its address. */
export interface Discovered {
  readonly key: string;
  readonly protocol: string;
  readonly systemId: string;
  readonly address: string;
  readonly linkId: string;
  readonly kindGuess: "vehicle" | "sensor";
  readonly domainGuess: CatalogueDomain;
  /** Catalogue key of the type that it reports. */
  readonly typeGuess: string | null;
  readonly modelGuess: string | null;
  /** As received: not checked. */
  readonly remoteIdSerial: string | null;
}

function ofPlatform(platform: Platform): Discovered {
  const { protocol, address, systemId, linkId } = platform.source;
  return {
    key: platform.key,
    protocol,
    systemId,
    address,
    linkId,
    kindGuess: platform.kindGuess,
    domainGuess: domainGuess(platform),
    typeGuess: platform.typeGuess,
    modelGuess: platform.modelGuess,
    remoteIdSerial: platform.remoteIdSerial,
  };
}

/** An unregistered sensor has the generic model of its modality. */
function ofSensor(sensor: Sensor): Discovered {
  return {
    key: sourceKey(sensor.id),
    protocol: PUSHED,
    systemId: sensor.id,
    address: sensor.id,
    linkId: PUSHED,
    kindGuess: "sensor",
    domainGuess: "sensor",
    typeGuess: sensor.profile.id,
    modelGuess: sensor.profile.id,
    remoteIdSerial: null,
  };
}

/** `address` as in `connection.address`: an address, `address/system` or an adoption key. */
export function discoveredAt(fleet: Fleet, sensors: Sensors, address: string): Discovered[] {
  const platforms = fleet.discoveredAt(address).map(ofPlatform);
  if (platforms.length > 0) return platforms;
  for (const sensor of sensors.all())
    if (isUnregistered(sensor) && (sensor.id === address || sourceKey(sensor.id) === address))
      return [ofSensor(sensor)];
  return [];
}

export function discoveredUnder(fleet: Fleet, sensors: Sensors, key: string): Discovered | null {
  return discoveredAt(fleet, sensors, key).find((found) => found.key === key) ?? null;
}

/** The candidates of a bind key: the one with this adoption key; else the platforms that links hear at this address. */
export function discoveredByKey(fleet: Fleet, sensors: Sensors, key: string): Discovered[] {
  const exact = discoveredUnder(fleet, sensors, key);
  if (exact !== null) return [exact];
  return fleet
    .discoveredAt(key)
    .filter(({ source }) => source.protocol !== PUSHED)
    .map(ofPlatform);
}

/** The view of a source from the list of sensors, with its adoption key in place of its name. */
export function candidateViewOf(views: readonly AssetView[], found: Discovered | null): AssetView | null {
  const view = views.find(({ id }) => id === found?.systemId);
  return found === null || view === undefined ? null : { ...view, id: found.key, key: found.key };
}
