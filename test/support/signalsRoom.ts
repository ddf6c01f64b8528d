/** A room that only collects the scans of the signals slice, for tests without a tracker. */
import { claimedIdentity } from "../../src/domain/claims.ts";
import { isRefusal } from "../../src/domain/errors.ts";
import { EnuFrame } from "../../src/domain/geodesy.ts";
import type { Environment } from "../../src/domain/modality.ts";
import { setClaimNumber } from "../../src/domain/scan.ts";
import type { SensorPose, SensorProfile } from "../../src/domain/sensorProfile.ts";
import { type Intake, type IntakeRoom, SignalsIntake } from "../../src/features/signals/intake.ts";
import { parseSignals } from "../../src/features/signals/parse.ts";
import type { Change, TurnedAway } from "../../src/room/changes.ts";
import type { ScanInput } from "../../src/room/intake/inbox.ts";
import { newestOfEach } from "../../src/room/intake/newestOfEach.ts";
import { Sensors } from "../../src/room/sensors/sensors.ts";

export const NOW_MS = Date.UTC(2026, 2, 1, 10);
export const POSE = { lat: 51.1846, lon: -1.7311, alt_hae_m: 123, yaw_deg: 0, pitch_deg: 0, roll_deg: 0 };

export class SignalsRoom implements IntakeRoom {
  environment: Environment;
  readonly sensors = new Sensors(8);
  readonly inputs: ScanInput[] = [];
  /** The claimed identities, each once. */
  readonly identities: string[] = [];
  readonly rejected = new Map<string | null, number>();
  frame: EnuFrame | null = null;
  duplicatesCounted = 0;
  readonly #seen = new Set<string>();

  constructor(environment: Environment = "live") {
    this.environment = environment;
  }

  register(id: string, profile: SensorProfile, pose: SensorPose | null): void {
    this.sensors.register(id, profile, pose);
  }

  hasSeen(sensorId: string, observationId: string): boolean {
    return this.#seen.has(`${sensorId}\u0000${observationId}`);
  }

  hasRoomFor(): boolean {
    return true;
  }

  accept(scans: readonly ScanInput[]) {
    const kept = scans.map((input) => newestOfEach(this.#numbered(input)));
    this.inputs.push(...kept);
    for (const { scan } of scans)
      for (const id of scan.observationIds)
        this.#seen.add(`${this.sensors.get(scan.sourceId)?.id ?? scan.sourceId}\u0000${id}`);
    const accepted = kept.reduce((sum, { scan }) => sum + scan.count, 0);
    const duplicates = scans.reduce((sum, { scan }) => sum + scan.count, 0) - accepted;
    this.duplicatesCounted += duplicates;
    return { accepted, late: 0, quarantined: 0, duplicates, tick: 1 };
  }

  /** Numbers the claims in the order of arrival. */
  #numbered(input: ScanInput): ScanInput {
    input.wire.forEach((one, row) => {
      const identity = claimedIdentity(input.scan.modality, one);
      if (identity === null) return;
      if (!this.identities.includes(identity)) this.identities.push(identity);
      setClaimNumber(input.scan, row, this.identities.indexOf(identity) + 1);
    });
    return input;
  }

  commit(change: Change): boolean {
    if (change.op === "origin_set") this.frame ??= new EnuFrame(change.origin);
    if (change.op === "signals_refused") this.#count(change.turnedAway);
    if (change.op !== "source_reported") return true;
    const channel = this.sensors.resolve(change.id, change.modality);
    if (isRefusal(channel)) return false;
    channel.sensor.protocol = change.protocol;
    return true;
  }

  #count(turnedAway: readonly TurnedAway[]): void {
    for (const { sourceId, rejected, duplicates } of turnedAway) {
      if (rejected > 0) this.rejected.set(sourceId, (this.rejected.get(sourceId) ?? 0) + rejected);
      this.duplicatesCounted += duplicates;
    }
  }
}

/** The answer to a push: the counts, or the refusal's code and sentence. */
type Pushed = { readonly reply: Intake } | { readonly code: string; readonly sentence: string };

export function pushBytes(room: SignalsRoom, bytes: Uint8Array, contentType: string): Pushed {
  const parsed = parseSignals(bytes, contentType);
  if (parsed.refused) return { code: parsed.code, sentence: parsed.sentence };
  const intake = new SignalsIntake(room, NOW_MS, parsed.unknownMembers);
  for (const item of parsed.items) intake.add(item);
  if (intake.failed) intake.giveUp();
  if (intake.wrongEnvironment) return { code: "environment_mismatch", sentence: intake.first!.error };
  if (intake.failed) return { code: "invalid_input", sentence: intake.describeFirst() };
  return { reply: intake.finish() };
}

export function push(room: SignalsRoom, body: unknown): Pushed {
  return pushBytes(room, Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), "application/json");
}

export function replyOf(pushed: Pushed): Intake {
  if ("reply" in pushed) return pushed.reply;
  throw new Error(`refused: ${pushed.code} ${pushed.sentence}`);
}
