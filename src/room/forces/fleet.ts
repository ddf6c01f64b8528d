/**
 * The registry's assets, the platforms heard on links, and which platform is which asset (docs/interface.md#asset-views,
 * #discoveries, #registration). A cache of the registry, changed only after the row was written. Pure data: it publishes
 * nothing (`fleetPart.ts` does) and knows no track.
 */

import { adoptionKey, plainAddress } from "../../domain/adoptionKey.ts";
import type { Asset } from "../../domain/asset.ts";
import type { ResolvedModel } from "../../domain/catalogue.ts";
import { type PlatformReport, type PlatformSource, PUSHED } from "../../domain/platformReport.ts";
import type { SensorProfile } from "../../domain/sensorProfile.ts";
import { FORGOTTEN_AFTER_MS } from "../../limits.ts";
import { Platform } from "./platform.ts";

/** A row of the registry with its model. */
export interface RegisteredAsset {
  readonly row: Asset;
  readonly model: ResolvedModel | null;
  /** null for an asset that is no sensor. */
  readonly profile: SensorProfile | null;
}

/** An asset with the platform that is heard as it. */
export interface FleetAsset extends RegisteredAsset {
  platform: Platform | null;
  /** The live track that is this platform, or null. */
  trackId: string | null;
}

/** The target of an id in a path (docs/interface.md#identifiers): the id of an asset or of its twin, or an adoption key. */
export type FleetEntry =
  | { readonly origin: "registry" | "sim_twin"; readonly id: string; readonly asset: FleetAsset }
  | { readonly origin: "discovered"; readonly id: string; readonly platform: Platform };

const TWIN_PREFIX = "sim_";

/** The id of an asset's simulated twin. */
function twinIdOf(assetId: string): string {
  return TWIN_PREFIX + assetId.slice(assetId.indexOf("_") + 1);
}

/** The address without its port, which changes when a platform restarts. */
function hostOf(address: string): string {
  const colon = address.lastIndexOf(":");
  return colon === -1 ? address : address.slice(0, colon);
}

export class Fleet {
  readonly #assets = new Map<string, FleetAsset>();
  readonly #byAddress = new Map<string, string>();
  readonly #bySerial = new Map<string, string>();
  /** By the adoption key of the source in the row's connection. */
  readonly #byKey = new Map<string, string>();
  readonly #byTwin = new Map<string, string>();
  /** By protocol, system and host, to find a vehicle that restarted on another port. */
  readonly #bySystem = new Map<string, string>();
  readonly #platforms = new Map<string, Platform>();
  readonly #assetOfPlatform = new Map<string, string>();
  readonly #keyOfSource = new Map<string, string>();
  readonly #platformOfSerial = new Map<string, string>();
  readonly #ignored: Set<string>;
  readonly #platformsMax: number;
  /** Bumped when an asset, a link between asset and platform, or a discovery comes, goes or changes state. */
  version = 1;
  refusedFull = 0;

  constructor(platformsMax: number, ignored: Iterable<string> = []) {
    this.#platformsMax = platformsMax;
    this.#ignored = new Set(ignored);
  }

  // ---- the registry

  assets(): Iterable<FleetAsset> {
    return this.#assets.values();
  }

  get count(): number {
    return this.#assets.size;
  }

  get(id: string): FleetAsset | undefined {
    return this.#assets.get(id);
  }

  byAddress(address: string): FleetAsset | undefined {
    return this.#assets.get(this.#byAddress.get(address) ?? "");
  }

  /** A missing or empty serial matches no asset. */
  bySerial(serial: string | null): FleetAsset | undefined {
    return serial === null || serial === "" ? undefined : this.#assets.get(this.#bySerial.get(serial) ?? "");
  }

  /** The asset whose connection has this adoption key, whether or not its source reports now. */
  byKey(key: string): FleetAsset | undefined {
    return this.#assets.get(this.#byKey.get(key) ?? "");
  }

  /** Rows as they were written, in place of older ones. Takes many, because each call matches all platforms again. */
  save(rows: readonly RegisteredAsset[]): FleetAsset[] {
    const saved = rows.map((one) => this.#index(one));
    this.version++;
    this.#relink();
    return saved;
  }

  #index({ row, model, profile }: RegisteredAsset): FleetAsset {
    const before = this.#assets.get(row.id);
    if (before !== undefined) this.#unindex(before.row);
    const asset: FleetAsset = { row, model, profile, platform: null, trackId: before?.trackId ?? null };
    this.#assets.set(row.id, asset);
    if (row.connection?.address != null) this.#byAddress.set(row.connection.address, row.id);
    if (row.remote_id_serial !== null) this.#bySerial.set(row.remote_id_serial, row.id);
    const key = connectionKey(row.connection);
    if (key !== null) this.#byKey.set(key, row.id);
    this.#byTwin.set(twinIdOf(row.id), row.id);
    const system = systemOf(row);
    if (system !== null) this.#bySystem.set(system, row.id);
    return asset;
  }

  /** Another live track is this asset now, or none. */
  setTrack(asset: FleetAsset, trackId: string | null): void {
    if (asset.trackId === trackId) return;
    asset.trackId = trackId;
    this.version++;
  }

  remove(id: string): FleetAsset | undefined {
    const asset = this.#assets.get(id);
    if (asset === undefined) return undefined;
    this.#assets.delete(id);
    this.#unindex(asset.row);
    this.#keepSerial(asset);
    this.#byTwin.delete(twinIdOf(id));
    this.version++;
    this.#relink();
    return asset;
  }

  /** The serial of a removed asset goes to its pushed platform, so that a later registration finds it again. */
  #keepSerial({ row, platform }: FleetAsset): void {
    if (platform?.source.protocol !== PUSHED || platform.remoteIdSerial !== null) return;
    platform.remoteIdSerial = row.remote_id_serial;
    if (row.remote_id_serial !== null) this.#platformOfSerial.set(row.remote_id_serial, platform.key);
  }

  #unindex(row: Asset): void {
    const address = row.connection?.address;
    if (address != null && this.#byAddress.get(address) === row.id) this.#byAddress.delete(address);
    const serial = row.remote_id_serial;
    if (serial !== null && this.#bySerial.get(serial) === row.id) this.#bySerial.delete(serial);
    const key = connectionKey(row.connection);
    if (key !== null && this.#byKey.get(key) === row.id) this.#byKey.delete(key);
    const system = systemOf(row);
    if (system !== null && this.#bySystem.get(system) === row.id) this.#bySystem.delete(system);
  }

  // ---- platforms

  platforms(): Iterable<Platform> {
    return this.#platforms.values();
  }

  platform(key: string): Platform | undefined {
    return this.#platforms.get(key);
  }

  assetOf(platformKey: string): FleetAsset | undefined {
    return this.#assets.get(this.#assetOfPlatform.get(platformKey) ?? "");
  }

  isIgnored(key: string): boolean {
    return this.#ignored.has(key);
  }

  ignore(key: string): void {
    this.#ignored.add(key);
    this.version++;
  }

  /** null: the table of platforms is full, and nothing of the report was kept. */
  takeReport(report: PlatformReport): Platform | null {
    const key = this.#keyOf(report.source);
    const known = this.#platforms.get(key);
    const platform = known ?? this.#newPlatform(key, report);
    if (platform === null) return null;
    const { remoteIdSerial: serial, state } = platform;
    platform.apply(report);
    if (platform.state !== state) this.version++;
    if (platform.remoteIdSerial !== serial) {
      if (serial !== null) this.#platformOfSerial.delete(serial);
      if (platform.remoteIdSerial !== null) this.#platformOfSerial.set(platform.remoteIdSerial, key);
    }
    if (known === undefined || platform.remoteIdSerial !== serial) {
      this.version++;
      this.#link(platform);
    }
    return platform;
  }

  #keyOf({ protocol, address, systemId }: PlatformSource): string {
    const name = `${protocol} ${address} ${systemId}`;
    let key = this.#keyOfSource.get(name);
    if (key === undefined) {
      key = adoptionKey(protocol, address, systemId);
      if (this.#keyOfSource.size >= this.#platformsMax) this.#keyOfSource.clear();
      this.#keyOfSource.set(name, key);
    }
    return key;
  }

  #newPlatform(key: string, report: PlatformReport): Platform | null {
    if (this.#platforms.size >= this.#platformsMax && !this.#forgetOldest(report.atMs)) {
      this.refusedFull++;
      return null;
    }
    const platform = new Platform(key, report.source, report.atMs);
    this.#platforms.set(key, platform);
    return platform;
  }

  /** Makes room by forgetting a platform that is lost and no asset of ours. */
  #forgetOldest(nowMs: number): boolean {
    for (const platform of this.#platforms.values()) {
      if (this.#assetOfPlatform.has(platform.key) || nowMs - platform.lastHeardMs < 30_000) continue;
      this.#forget(platform);
      return true;
    }
    return false;
  }

  #forget(platform: Platform): void {
    this.#platforms.delete(platform.key);
    this.#assetOfPlatform.delete(platform.key);
    if (platform.remoteIdSerial !== null) this.#platformOfSerial.delete(platform.remoteIdSerial);
    this.version++;
  }

  /** Ages link states and forgets silent platforms that are not adopted. Returns those whose state changed. */
  refresh(nowMs: number): Platform[] {
    const changed: Platform[] = [];
    for (const platform of this.#platforms.values()) {
      if (platform.refreshState(nowMs)) {
        changed.push(platform);
        this.version++;
      }
      const isOurs = this.#assetOfPlatform.has(platform.key);
      if (!isOurs && nowMs - platform.lastHeardMs > FORGOTTEN_AFTER_MS) this.#forget(platform);
    }
    if (changed.length > 0) this.#findRoamed();
    return changed;
  }

  /** Closes the platforms of a deleted link. */
  closeLink(linkId: string, nowMs: number): void {
    for (const platform of this.#platforms.values()) if (platform.source.linkId === linkId) platform.close(nowMs);
    this.#findRoamed();
    this.version++;
  }

  // ---- which platform is which asset

  #relink(): void {
    this.#assetOfPlatform.clear();
    for (const asset of this.#assets.values()) asset.platform = null;
    for (const platform of this.#platforms.values()) this.#take(platform, this.#named(platform));
    this.#findRoamed();
  }

  #link(platform: Platform): void {
    this.#take(platform, this.#named(platform) ?? this.#roamed(platform));
  }

  /** An asset that fell silent may have been heard already as a new platform on another port. */
  #findRoamed(): void {
    const strangers = [...this.#platforms.values()].filter(({ key }) => !this.#assetOfPlatform.has(key));
    strangers.sort((a, b) => b.lastHeardMs - a.lastHeardMs);
    for (const platform of strangers) if (!isSilent(platform)) this.#take(platform, this.#roamed(platform));
  }

  #take(platform: Platform, asset: FleetAsset | undefined): void {
    if (asset === undefined) return;
    // When two platforms match one asset, the one heard last is taken.
    const other = asset.platform;
    if (other !== null && other !== platform && other.lastHeardMs > platform.lastHeardMs) return;
    asset.platform = platform;
    this.#assetOfPlatform.set(platform.key, asset.row.id);
    this.version++;
  }

  /** The asset of a platform by its name, serial, key or address. */
  #named(platform: Platform): FleetAsset | undefined {
    const { protocol, address, systemId } = platform.source;
    if (protocol === PUSHED) {
      const named = this.get(systemId) ?? this.bySerial(systemId) ?? this.byAddress(address);
      return named ?? this.bySerial(platform.remoteIdSerial);
    }
    const bound = this.bySerial(platform.key) ?? this.bySerial(platform.remoteIdSerial) ?? this.byKey(platform.key);
    if (bound !== undefined) return bound;
    const here = this.byAddress(address) ?? this.byAddress(platform.key);
    return here !== undefined && isSystem(here, protocol, systemId) ? here : undefined;
  }

  /** The asset of a vehicle that restarted on another port: same host, same system, and its known platform is silent. */
  #roamed({ source }: Platform): FleetAsset | undefined {
    const asset = this.get(this.#bySystem.get(systemName(source.protocol, source.systemId, source.address)) ?? "");
    const heard = asset?.platform ?? null;
    return heard === null || isSilent(heard) ? asset : undefined;
  }

  // ---- names

  find(id: string): FleetEntry | null {
    const asset = this.#assets.get(id);
    if (asset !== undefined) return { origin: "registry", id, asset };
    const platform = this.#platforms.get(id);
    if (platform !== undefined) {
      const adopted = this.assetOf(id);
      return adopted === undefined
        ? { origin: "discovered", id, platform }
        : { origin: "registry", id: adopted.row.id, asset: adopted };
    }
    const keyed = this.byKey(id);
    if (keyed !== undefined) return { origin: "registry", id: keyed.row.id, asset: keyed };
    const original = this.#assets.get(this.#byTwin.get(id) ?? "");
    return original?.row.switches.simulated_twin === true ? { origin: "sim_twin", id, asset: original } : null;
  }

  /** The platforms at an address, or the one with this key: candidates of registration. */
  discoveredAt(address: string): Platform[] {
    const exact = this.#platforms.get(address);
    if (exact !== undefined) return [exact];
    return [...this.#platforms.values()].filter(
      ({ source }) => source.address === address || `${source.address}/${source.systemId}` === address,
    );
  }

  /** The platform of a pushed position: the one that a link hears, else one that exists by its pushes alone. */
  nameOf(assetKey: string): PlatformSource {
    const asset = this.get(assetKey) ?? this.bySerial(assetKey) ?? this.byAddress(assetKey);
    const known =
      asset?.platform ??
      this.#platforms.get(assetKey) ??
      this.#platforms.get(this.#platformOfSerial.get(assetKey) ?? "");
    if (known != null) return known.source;
    const name = asset?.row.id ?? assetKey;
    return { protocol: PUSHED, address: name, systemId: name, linkId: PUSHED };
  }

  /** Both the asset's id and the key of its adopted platform, whichever of the two is given. */
  namesOf(id: string): readonly string[] {
    const asset = this.get(id) ?? this.assetOf(id);
    const key = asset?.platform?.key;
    return asset === undefined ? [id] : key === undefined ? [asset.row.id] : [asset.row.id, key];
  }

  /** One key for all names of a platform, so that the tracker sees one identity. */
  canonicalKey(assetKey: string): string {
    return this.#keyOf(this.nameOf(assetKey));
  }

  /** The asset or platform that carries this Remote ID serial. */
  ownerOfSerial(serial: string): { asset: FleetAsset | null; platform: Platform | null } | null {
    const asset = this.bySerial(serial) ?? null;
    const platform = asset?.platform ?? this.#platforms.get(this.#platformOfSerial.get(serial) ?? "") ?? null;
    return asset === null && platform === null ? null : { asset, platform };
  }
}

/**
 * The adoption key of a row's connection; null where the connection is ambiguous (no address, or a protocol without a
 * system). The key of a pushing source depends on its name alone, and a row without a protocol may be a pushing source.
 */
function connectionKey(connection: Asset["connection"]): string | null {
  if (connection?.address == null) return null;
  const { address, protocol, system_id: systemId } = connection;
  if ((protocol ?? PUSHED) === PUSHED) return adoptionKey(PUSHED, systemId ?? address, systemId ?? address);
  return systemId === null ? null : adoptionKey(protocol!, plainAddress(address, systemId), systemId);
}

const isSilent = ({ state }: Platform): boolean => state === "lost" || state === "closed";

function systemName(protocol: string, systemId: string, address: string): string {
  return `${protocol} ${systemId} ${hostOf(address)}`;
}

function systemOf({ connection }: Asset): string | null {
  if (connection?.address == null || connection.protocol === null || connection.system_id === null) return null;
  return systemName(connection.protocol, connection.system_id, plainAddress(connection.address, connection.system_id));
}

/** A row without a system id matches every system at its address. */
function isSystem({ row }: FleetAsset, protocol: string, systemId: string): boolean {
  const { connection } = row;
  if (connection?.protocol != null && connection.protocol !== protocol) return false;
  return connection?.system_id == null || connection.system_id === systemId;
}
