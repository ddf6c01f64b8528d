/**
 * One physical sensor, registered or not: its pose, its counters and the state of its link. Its observations come in
 * channels, one per modality, because the tracker takes one profile and one kernel slot per source of scans.
 */
import type { Modality } from "../../domain/modality.ts";
import { linkStateOf } from "../../domain/platformStates.ts";
import type { SensorPose, SensorProfile, Siting } from "../../domain/sensorProfile.ts";
import { SENSOR_BATCH_MAX_MS, SENSOR_RATE_WINDOW_S } from "../../limits.ts";

type SensorState = "never_heard" | ReturnType<typeof linkStateOf>;

/** One modality of a sensor. */
export class Channel {
  /** The source id of its scans: the sensor's own id, or `<sensor>/<modality>` for a further modality. */
  readonly id: string;
  readonly sensor: Sensor;
  readonly modality: Modality;
  readonly profile: SensorProfile;
  /** Every row of its last non-empty scan had a height. */
  reportsHeight = false;

  constructor(id: string, sensor: Sensor, modality: Modality, profile: SensorProfile) {
    this.id = id;
    this.sensor = sensor;
    this.modality = modality;
    this.profile = profile;
  }
}

export class Sensor {
  readonly id: string;
  readonly registered: boolean;
  /** The channel of its own modality: that of its model, or the first that it reported. */
  readonly channel: Channel;
  /** Further ones have the generic profile of their modality. */
  readonly #channels: Map<Modality, Channel>;
  /** Its placement, or its host's pose; null for a sensor that only reports: its observations carry their own pose. */
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
  state: SensorState = "never_heard";
  observations = 0;
  scans = 0;
  rejected = 0;
  duplicates = 0;
  late = 0;
  quarantined = 0;
  lastObsEventAtMs = 0;
  #notedState: SensorState = "never_heard";
  #perSecond = new Uint32Array(SENSOR_RATE_WINDOW_S);
  #second = 0;

  constructor(id: string, registered: boolean, profile: SensorProfile, pose: SensorPose | null) {
    this.id = id;
    this.registered = registered;
    this.channel = new Channel(id, this, profile.modality, profile);
    this.#channels = new Map([[profile.modality, this.channel]]);
    this.pose = pose;
    this.lastPose = pose;
  }

  get modality(): Modality {
    return this.channel.modality;
  }

  get profile(): SensorProfile {
    return this.channel.profile;
  }

  get channels(): ReadonlyMap<Modality, Channel> {
    return this.#channels;
  }

  addChannel(id: string, profile: SensorProfile): Channel {
    const channel = new Channel(id, this, profile.modality, profile);
    this.#channels.set(profile.modality, channel);
    return channel;
  }

  /** Keeps the channel of its own modality; returns the others. */
  dropFurtherChannels(): Channel[] {
    const further = [...this.#channels.values()].filter((channel) => channel !== this.channel);
    for (const { modality } of further) this.#channels.delete(modality);
    return further;
  }

  /** Takes over the counters and times of the sensor that it was heard as before its adoption. */
  inherit(observed: Sensor): void {
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

  noteScan(observations: number, nowMs: number): void {
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

  #become(state: SensorState, nowMs: number): void {
    if (state === this.state) return;
    this.state = state;
    this.stateSinceMs = nowMs;
  }

  #stateAt(nowMs: number): SensorState {
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
