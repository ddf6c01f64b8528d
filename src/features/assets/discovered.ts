/** What was heard and may become an asset: platforms on links, and sources that push observations, in one shape. */
import type { AssetView } from "../../domain/asset.ts";
import { domainGuess } from "../../room/forces/assetView.ts";
import { isUnregistered, sourceKey } from "../../room/forces/discoveries.ts";
import { PUSHED } from "../../room/forces/fleet.ts";
import type { Platform } from "../../room/forces/platform.ts";
import type { Room } from "../../room/room.ts";
import type { Source } from "../../room/sensors/sensors.ts";
import type { Discovered } from "./register.ts";
import { isSerial } from "./rules.ts";

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
    remoteIdSerial: isSerial(platform.remoteIdSerial) ? platform.remoteIdSerial : null,
  };
}

/** A source is a sensor of the model that the room took for it: the generic one of its modality. */
function ofSource(source: Source): Discovered {
  return {
    key: sourceKey(source.id),
    protocol: "rest_push",
    systemId: source.id,
    address: source.id,
    linkId: "rest_push",
    kindGuess: "sensor",
    domainGuess: "sensor",
    typeGuess: source.profile.id,
    modelGuess: source.profile.id,
    remoteIdSerial: null,
  };
}

/** At an address, as `connection.address` names it: an address, `address/system` or an adoption key. */
export function discoveredAt({ forces, sources }: Room, address: string): Discovered[] {
  const platforms = forces.fleet.discoveredAt(address).map(ofPlatform);
  if (platforms.length > 0) return platforms;
  for (const source of sources.all())
    if (isUnregistered(source) && (source.id === address || sourceKey(source.id) === address))
      return [ofSource(source)];
  return [];
}

/** A source under its adoption key, as the list of sensors shows it under its own name. */
export function candidateView(workspace: Room, key: string, nowMs: number): AssetView | null {
  const source = discoveredUnder(workspace, key);
  const view = workspace.forces.sensorViews(nowMs).find(({ id }) => id === source?.systemId);
  return view === undefined ? null : { ...view, id: key, key };
}

/** What a key to bind means: what is known by it; else, taken for one, what links hear at it. What pushes is its name. */
export function discoveredByKey(workspace: Room, key: string): Discovered[] {
  const exact = discoveredUnder(workspace, key);
  if (exact !== null) return [exact];
  const { fleet } = workspace.forces;
  return fleet
    .discoveredAt(key)
    .filter(({ source }) => source.protocol !== PUSHED)
    .map(ofPlatform);
}

function discoveredUnder(workspace: Room, key: string): Discovered | null {
  return discoveredAt(workspace, key).find((one) => one.key === key) ?? null;
}
