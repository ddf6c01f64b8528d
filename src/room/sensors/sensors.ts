/**
 * The sensors of one room: registered ones and sources that only report (docs/interface.md#signals), with their counters and
 * states. Knows no tracker and no stream.
 */
import { DEFAULT_PROFILE } from "../../domain/defaultProfiles.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { isOneSensors, type Modality } from "../../domain/modality.ts";
import { linkStateOf } from "../../domain/platformStates.ts";
import { isSameProfile, type SensorPose, type SensorProfile, type Siting } from "../../domain/sensorProfile.ts";
import { SENSOR_BATCH_MAX_MS, SENSOR_RATE_WINDOW_S } from "../../limits.ts";

type SourceState = "never_heard" | ReturnType<typeof linkStateOf>;

export class Source {
  readonly id: string;
  /** The physical sensor. A second modality is a `Source` of its own to the tracker only; everyone else uses this one. */
  readonly sensor: Source;
  /** Sources of further modalities, each with the generic profile, because the tracker takes one profile per source. */
  readonly beside = new Map<Modality, Source>();
  readonly modality: Modality;
  readonly registered: boolean;
  readonly profile: SensorProfile;
  /** Its placement, or its host's pose; null for a source that only reports: its observations carry their own pose. */
  pose: SensorPose | null;
  /** The errors of that pose; null: none are known. */
  siting: Siting | null = null;
  /** The pose of its last report. */
  lastPose: SensorPose | null;
  /** The protocol family of its last observation; null: none arrived. */
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
  /** Every row of its last non-empty scan had a height. */
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

  /** Takes over the counters and times of the source that it was heard as before its adoption. */
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
    const second = Math.max(this.#second, Math.floor(nowMs / 1000));
    let sum = 0;
    for (let s = Math.max(0, second - SENSOR_RATE_WINDOW_S + 1); s <= this.#second; s++)
      sum += this.#perSecond[s % SENSOR_RATE_WINDOW_S]!;
    return sum;
  }

  /** True when the state has changed since the last call. */
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
  /** Bumped when a source appears, is removed or changes state, so that the slice is sent only then. */
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

  /** The source of this modality under this name; undefined: none yet. */
  find(id: string, modality: Modality): Source | undefined {
    const known = this.#byId.get(id);
    return known?.modality === modality ? known : known?.beside.get(modality);
  }

  /** The known source, or a new one with the generic profile of its modality. */
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
   * Why the source of this name cannot report this modality; null: it can, or there is none. A radio sensor may report
   * directions and positions. An adopted name accepts every modality, so that no observations are lost because the asset's
   * model was chosen wrongly or is missing in the catalogue.
   */
  whyOther(id: string, modality: Modality): string | null {
    const known = this.#byId.get(id);
    if (known === undefined || isOneSensors(known.modality, modality)) return null;
    return known.id === id ? `source ${id} reports ${known.modality}, not ${modality}` : null;
  }

  /** Also for a waiting scan whose source is adopted or removed meanwhile. */
  profileOf(id: string, modality: Modality): SensorProfile {
    const known = this.#byId.get(id);
    return known?.modality === modality ? known.profile : DEFAULT_PROFILE[modality];
  }

  #newBeside(sensor: Source, modality: Modality): Source | Refusal {
    const id = `${sensor.id}/${modality}`;
    if (this.#byId.has(id))
      return refusal("invalid_input", `source ${id} is another one, so ${sensor.id} cannot report ${modality}`);
    const source = new Source(id, modality, sensor.registered, DEFAULT_PROFILE[modality], sensor.pose, sensor);
    source.siting = sensor.siting;
    sensor.beside.set(modality, source);
    this.#byId.set(id, source);
    return source;
  }

  /** Adds or replaces a registered sensor; its counters start from zero. */
  register(id: string, profile: SensorProfile, pose: SensorPose | null): Source {
    const source = new Source(id, profile.modality, true, profile, pose);
    this.#forgetBeside(this.#byId.get(id));
    this.#byId.set(id, source);
    this.version++;
    return source;
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
  ): Source {
    const known = this.#byId.get(id);
    const isKnown = known?.registered === true && isSameProfile(known.profile, profile);
    const source = isKnown ? known : this.register(id, profile, pose);
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

  /** Makes `alias` a name of this sensor, unless it is the own name of another registered one. */
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

  /** Ages the state of every source; true when any changed. */
  refresh(nowMs: number): boolean {
    let changed = false;
    for (const source of this.all()) if (source.refreshState(nowMs)) changed = true;
    if (changed) this.version++;
    return changed;
  }
}
