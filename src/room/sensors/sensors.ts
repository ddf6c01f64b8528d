/**
 * The sources of one room: registered sensors and observed ones (docs/interface.md#signals), what each has reported and how
 * it is doing. Knows no tracker and no stream; the room asks it.
 */
import { DEFAULT_PROFILE } from "../../domain/defaultProfiles.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { isOneSensors, type Modality } from "../../domain/modality.ts";
import { linkStateOf } from "../../domain/platformStates.ts";
import type { SensorPose, SensorProfile, Siting } from "../../domain/sensorProfile.ts";
import { SENSOR_BATCH_MAX_MS, SENSOR_RATE_WINDOW_S } from "../../limits.ts";

type SourceState = "never_heard" | ReturnType<typeof linkStateOf>;

export class Source {
  readonly id: string;
  /** Itself; of what a sensor tells besides its own modality, that sensor: to everybody but the tracker it is one. */
  readonly sensor: Source;
  /** What it tells besides, each with the generic profile: the tracker has one profile a source. */
  readonly beside = new Map<Modality, Source>();
  readonly modality: Modality;
  readonly registered: boolean;
  readonly profile: SensorProfile;
  /** Where it was placed or is carried; null for an observed source, whose observations carry their own pose. */
  pose: SensorPose | null;
  /** How well that is known; null: exactly, as far as anybody said. */
  siting: Siting | null = null;
  /** The pose it last reported from, placed or carried. */
  lastPose: SensorPose | null;
  /** The family that its last observation came by; null: none came. */
  protocol: string | null = null;
  firstHeardAtMs = 0;
  lastHeardAtMs = 0;
  lastDetectionAtMs = 0;
  stateSinceMs = 0;
  state: SourceState = "never_heard";
  observations = 0;
  scans = 0;
  rejected = 0;
  duplicates = 0;
  late = 0;
  quarantined = 0;
  lastObsEventAtMs = 0;
  /** Its last scan with anything in it said of everything how high it is. */
  tellsHeight = false;
  #notedState: SourceState = "never_heard";
  #perSecond = new Uint32Array(SENSOR_RATE_WINDOW_S);
  #second = 0;

  constructor(
    id: string,
    modality: Modality,
    registered: boolean,
    profile: SensorProfile,
    pose: SensorPose | null,
    sensor: Source | null = null,
  ) {
    this.id = id;
    this.sensor = sensor ?? this;
    this.modality = modality;
    this.registered = registered;
    this.profile = profile;
    this.pose = pose;
    this.lastPose = pose;
  }

  /** It is the sensor that was heard under another name before: what it did is its own. */
  inherit(observed: Source): void {
    this.protocol = observed.protocol;
    this.firstHeardAtMs = observed.firstHeardAtMs;
    this.lastHeardAtMs = observed.lastHeardAtMs;
    this.lastDetectionAtMs = observed.lastDetectionAtMs;
    this.observations = observed.observations;
    this.scans = observed.scans;
    this.state = observed.state;
    this.stateSinceMs = observed.stateSinceMs;
    this.#perSecond = observed.#perSecond;
    this.#second = observed.#second;
  }

  heard(observations: number, nowMs: number): void {
    if (this.firstHeardAtMs === 0) this.firstHeardAtMs = nowMs;
    this.lastHeardAtMs = nowMs;
    if (this.state !== "up") this.#become("up", nowMs);
    this.scans++;
    if (observations === 0) return;
    this.lastDetectionAtMs = nowMs;
    this.observations += observations;
    this.#moveTo(nowMs);
    this.#perSecond[this.#second % SENSOR_RATE_WINDOW_S]! += observations;
  }

  detectionsPerMinute(nowMs: number): number {
    this.#moveTo(nowMs);
    let sum = 0;
    for (const count of this.#perSecond) sum += count;
    return sum;
  }

  /** True when the state is another than at the last call. */
  refreshState(nowMs: number): boolean {
    this.#become(this.#stateAt(nowMs), nowMs);
    if (this.state === this.#notedState) return false;
    this.#notedState = this.state;
    return true;
  }

  #become(state: SourceState, nowMs: number): void {
    if (state === this.state) return;
    this.state = state;
    this.stateSinceMs = nowMs;
  }

  #stateAt(nowMs: number): SourceState {
    if (this.lastHeardAtMs === 0) return "never_heard";
    return linkStateOf({
      silentMs: nowMs - this.lastHeardAtMs,
      periodMs: this.profile.scan_period_s * 1000,
      silentMinMs: SENSOR_BATCH_MAX_MS,
    });
  }

  #moveTo(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    const from = Math.max(this.#second + 1, second - SENSOR_RATE_WINDOW_S + 1);
    for (let s = from; s <= second; s++) this.#perSecond[s % SENSOR_RATE_WINDOW_S] = 0;
    if (second > this.#second) this.#second = second;
  }
}

export class Sensors {
  readonly #byId = new Map<string, Source>();
  readonly #max: number;
  /** Bumped when a source appears, goes or changes state, so that the slice is sent only then. */
  version = 0;
  refusedFull = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get(id: string): Source | undefined {
    return this.#byId.get(id);
  }

  *all(): Iterable<Source> {
    for (const [name, source] of this.#byId) if (name === source.sensor.id) yield source;
  }

  /** What reports this modality under this name; undefined: nothing yet. */
  find(id: string, modality: Modality): Source | undefined {
    const known = this.#byId.get(id);
    return known?.modality === modality ? known : known?.beside.get(modality);
  }

  /** The source as known, or a new observed one with the generic profile of its modality. */
  resolve(id: string, modality: Modality): Source | Refusal {
    const found = this.find(id, modality);
    if (found !== undefined) return found;
    const why = this.whyOther(id, modality);
    if (why !== null) return refusal("invalid_input", why);
    const known = this.#byId.get(id);
    if (this.#byId.size >= this.#max) {
      this.refusedFull++;
      return refusal("overloaded", `this workspace already has its limit of ${this.#max} sources`);
    }
    if (known !== undefined) return this.#newBeside(known, modality);
    const source = new Source(id, modality, false, DEFAULT_PROFILE[modality], null);
    this.#byId.set(id, source);
    this.version++;
    return source;
  }

  /**
   * Why what is known under a name cannot tell this modality; null: it can, or nothing is known. A radio sensor tells
   * directions and places; and a name that was adopted is the asset's, whatever its model measures: what it reports
   * otherwise must not be lost for a model that was chosen wrongly or that the list does not have.
   */
  whyOther(id: string, modality: Modality): string | null {
    const known = this.#byId.get(id);
    if (known === undefined || isOneSensors(known.modality, modality)) return null;
    return known.id === id ? `source ${id} reports ${known.modality}, not ${modality}` : null;
  }

  /** Of a scan that waits while its name is adopted or removed, too. */
  profileOf(id: string, modality: Modality): SensorProfile {
    const known = this.#byId.get(id);
    return known?.modality === modality ? known.profile : DEFAULT_PROFILE[modality];
  }

  #newBeside(sensor: Source, modality: Modality): Source | Refusal {
    const id = `${sensor.id}/${modality}`;
    if (this.#byId.has(id))
      return refusal("invalid_input", `source ${id} is another, so ${sensor.id} cannot tell ${modality}`);
    const source = new Source(id, modality, sensor.registered, DEFAULT_PROFILE[modality], sensor.pose, sensor);
    source.siting = sensor.siting;
    sensor.beside.set(modality, source);
    this.#byId.set(id, source);
    return source;
  }

  /** Places or replaces a registered sensor; its counters start anew, its history does not matter to fusion. */
  register(id: string, profile: SensorProfile, pose: SensorPose | null): Source {
    const source = new Source(id, profile.modality, true, profile, pose);
    this.#forgetBeside(this.#byId.get(id));
    this.#byId.set(id, source);
    this.version++;
    return source;
  }

  /**
   * A sensor of the registry, at once where it now stands. `alias` is the name it reported under before it was adopted:
   * what comes from there is its own from now on.
   */
  place(
    id: string,
    profile: SensorProfile,
    pose: SensorPose | null,
    siting: Siting | null,
    alias: string | null,
  ): Source {
    const known = this.#byId.get(id);
    const source = known?.registered === true && known.profile === profile ? known : this.register(id, profile, pose);
    source.pose = pose;
    source.siting = siting;
    source.lastPose = pose ?? source.lastPose;
    for (const beside of source.beside.values()) {
      beside.pose = pose;
      beside.siting = siting;
    }
    if (alias !== null) this.#adopt(alias, source);
    this.version++;
    return source;
  }

  /** What reported under the name is this sensor; another sensor's own name stays that one's. */
  #adopt(alias: string, source: Source): void {
    const observed = this.#byId.get(alias);
    const isOwnName = observed?.id === alias;
    if (alias === source.id || observed === source || (isOwnName && observed.registered)) return;
    if (observed !== undefined) source.inherit(observed);
    this.#forgetBeside(observed);
    this.#byId.set(alias, source);
  }

  #forgetBeside(source: Source | undefined): void {
    for (const { id } of source?.beside.values() ?? []) this.#byId.delete(id);
    source?.beside.clear();
  }

  remove(id: string): void {
    const source = this.#byId.get(id);
    if (source === undefined) return;
    this.#forgetBeside(source);
    for (const [name, other] of this.#byId) {
      if (other === source) this.#byId.delete(name);
    }
    this.version++;
  }

  /** Moves every source's state on; true when any changed. */
  refresh(nowMs: number): boolean {
    let changed = false;
    for (const source of this.all()) if (source.refreshState(nowMs)) changed = true;
    if (changed) this.version++;
    return changed;
  }
}
