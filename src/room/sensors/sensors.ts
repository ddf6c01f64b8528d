/**
 * The sensors of one room by the names that they report under: registered ones and sources that only report
 * (docs/interface.md#signals). Knows no tracker and no stream.
 */
import { DEFAULT_PROFILE } from "../../domain/defaultProfiles.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { isOneSensors, type Modality } from "../../domain/modality.ts";
import { isSameProfile, type SensorPose, type SensorProfile, type Siting } from "../../domain/sensorProfile.ts";
import { type Channel, Sensor } from "./sensor.ts";

export class Sensors {
  /** By source id: each channel under its own id, and a sensor's own channel also under its alias. */
  readonly #byName = new Map<string, Channel>();
  readonly #max: number;
  /** Bumped when a sensor appears, is removed or changes state, so that the slice is sent only then. */
  version = 0;
  refusedFull = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get(name: string): Sensor | undefined {
    return this.#byName.get(name)?.sensor;
  }

  /** The channel of a scan's source id. */
  channel(sourceId: string): Channel | undefined {
    return this.#byName.get(sourceId);
  }

  *all(): Iterable<Sensor> {
    for (const [name, { sensor }] of this.#byName) if (name === sensor.id) yield sensor;
  }

  /** The channel of this modality under this name; undefined: none yet. */
  find(name: string, modality: Modality): Channel | undefined {
    return this.get(name)?.channels.get(modality);
  }

  /** The known channel, or a new one with the generic profile of its modality, of a new sensor if need be. */
  resolve(name: string, modality: Modality): Channel | Refusal {
    const found = this.find(name, modality);
    if (found !== undefined) return found;
    const why = this.whyNotModality(name, modality);
    if (why !== null) return refusal("invalid_input", why);
    if (this.#byName.size >= this.#max) {
      this.refusedFull++;
      return refusal("overloaded", `this workspace already has its limit of ${this.#max} sources`);
    }
    const known = this.get(name);
    if (known !== undefined) return this.#addChannel(known, modality);
    const { channel } = new Sensor(name, false, DEFAULT_PROFILE[modality], null);
    this.#byName.set(name, channel);
    this.version++;
    return channel;
  }

  /**
   * Why the sensor of this name cannot report this modality; null: it can, or there is none. A radio sensor may report
   * directions and positions. An adopted name accepts every modality, so that no observations are lost because the asset's
   * model was chosen wrongly or is missing in the catalogue.
   */
  whyNotModality(name: string, modality: Modality): string | null {
    const known = this.#byName.get(name);
    if (known === undefined || isOneSensors(known.modality, modality)) return null;
    return known.id === name ? `source ${name} reports ${known.modality}, not ${modality}` : null;
  }

  /** Also for a waiting scan whose source is adopted or removed meanwhile. */
  profileOf(sourceId: string, modality: Modality): SensorProfile {
    const known = this.#byName.get(sourceId);
    return known?.modality === modality ? known.profile : DEFAULT_PROFILE[modality];
  }

  #addChannel(sensor: Sensor, modality: Modality): Channel | Refusal {
    const id = `${sensor.id}/${modality}`;
    if (this.#byName.has(id))
      return refusal("invalid_input", `source ${id} is another one, so ${sensor.id} cannot report ${modality}`);
    const channel = sensor.addChannel(id, DEFAULT_PROFILE[modality]);
    this.#byName.set(id, channel);
    return channel;
  }

  /** Adds or replaces a registered sensor; its counters start from zero. */
  register(id: string, profile: SensorProfile, pose: SensorPose | null): Sensor {
    const sensor = new Sensor(id, true, profile, pose);
    this.#dropFurtherChannels(this.get(id));
    this.#byName.set(id, sensor.channel);
    this.version++;
    return sensor;
  }

  /**
   * Adds or moves a sensor of the registry. `alias` is the name that it reported under before it was adopted; reports under
   * that name are its own from now on.
   */
  place(
    id: string,
    profile: SensorProfile,
    pose: SensorPose | null,
    siting: Siting | null,
    alias: string | null,
  ): Sensor {
    const known = this.get(id);
    const isKnown = known?.registered === true && isSameProfile(known.profile, profile);
    const sensor = isKnown ? known : this.register(id, profile, pose);
    sensor.pose = pose;
    sensor.siting = siting;
    sensor.lastPose = pose ?? sensor.lastPose;
    if (alias !== null) this.#adopt(alias, sensor);
    this.version++;
    return sensor;
  }

  /** Makes `alias` a name of this sensor, unless it is the own name of another registered one. */
  #adopt(alias: string, sensor: Sensor): void {
    const observed = this.#byName.get(alias);
    const isOwnName = observed?.id === alias;
    if (alias === sensor.id || observed?.sensor === sensor || (isOwnName && observed.sensor.registered)) return;
    if (observed !== undefined) sensor.inherit(observed.sensor);
    this.#dropFurtherChannels(observed?.sensor);
    this.#byName.set(alias, sensor.channel);
  }

  #dropFurtherChannels(sensor: Sensor | undefined): void {
    for (const { id } of sensor?.dropFurtherChannels() ?? []) this.#byName.delete(id);
  }

  remove(id: string): void {
    const sensor = this.get(id);
    if (sensor === undefined) return;
    for (const [name, channel] of this.#byName) if (channel.sensor === sensor) this.#byName.delete(name);
    this.version++;
  }

  /** Ages the state of every sensor; true when any changed. */
  refresh(nowMs: number): boolean {
    let changed = false;
    for (const sensor of this.all()) if (sensor.refreshState(nowMs)) changed = true;
    if (changed) this.version++;
    return changed;
  }
}
