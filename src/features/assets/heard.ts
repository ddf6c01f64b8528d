/** What was heard and may become an asset: platforms on links, and sources that push observations, in one shape. */
import type { AssetView } from "../../domain/asset.ts";
import { domainGuess } from "../../room/forces/assetView.ts";
import { isHeard, sourceKey } from "../../room/forces/discoveries.ts";
import { PUSHED } from "../../room/forces/fleet.ts";
import type { Platform } from "../../room/forces/platform.ts";
import type { Room } from "../../room/room.ts";
import type { Source } from "../../room/sensors/sensors.ts";
import type { Heard } from "./register.ts";
import { isSerial } from "./rules.ts";

function ofPlatform(platform: Platform): Heard {
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
function ofSource(source: Source): Heard {
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
export function heardAt({ forces, sources }: Room, address: string): Heard[] {
  const platforms = forces.fleet.heardAt(address).map(ofPlatform);
  if (platforms.length > 0) return platforms;
  for (const source of sources.all())
    if (isHeard(source) && (source.id === address || sourceKey(source.id) === address)) return [ofSource(source)];
  return [];
}

/** A source under its adoption key, as the list of sensors shows it under its own name. */
export function candidateView(workspace: Room, key: string, nowMs: number): AssetView | null {
  const heard = heardUnder(workspace, key);
  const view = workspace.forces.sensorViews(nowMs).find(({ id }) => id === heard?.systemId);
  return view === undefined ? null : { ...view, id: key, key };
}

/** What a key to bind means: what is known by it; else, taken for one, what links hear at it. What pushes is its name. */
export function heardAsKey(workspace: Room, key: string): Heard[] {
  const exact = heardUnder(workspace, key);
  if (exact !== null) return [exact];
  const { fleet } = workspace.forces;
  return fleet
    .heardAt(key)
    .filter(({ source }) => source.protocol !== PUSHED)
    .map(ofPlatform);
}

function heardUnder(workspace: Room, key: string): Heard | null {
  return heardAt(workspace, key).find((heard) => heard.key === key) ?? null;
}
