/** A room that only takes what the signals slice hands it, for tests without a tracker. Keeps every scan it was given. */
import { EnuFrame, type Geodetic } from "../../src/domain/geodesy.ts";
import type { Environment } from "../../src/domain/modality.ts";
import type { SensorPose, SensorProfile } from "../../src/domain/sensorProfile.ts";
import { type Intake, type IntakeRoom, SignalsIntake } from "../../src/features/signals/intake.ts";
import { parseSignals } from "../../src/features/signals/parse.ts";
import type { ScanInput } from "../../src/room/intake/inbox.ts";
import { Sources } from "../../src/room/sensors/sensors.ts";

export const NOW_MS = Date.UTC(2026, 2, 1, 10);
export const POSE = { lat: 51.1846, lon: -1.7311, alt_hae_m: 123, yaw_deg: 0, pitch_deg: 0, roll_deg: 0 };

export class SignalsRoom implements IntakeRoom {
  environment: Environment;
  readonly sources = new Sources(8);
  readonly inputs: ScanInput[] = [];
  readonly identities: string[] = [];
  readonly rejected = new Map<string | null, number>();
  frame: EnuFrame | null = null;
  duplicatesCounted = 0;
  readonly #seen = new Set<string>();

  constructor(environment: Environment = "live") {
    this.environment = environment;
  }

  source: IntakeRoom["source"] = (id, modality) => this.sources.resolve(id, modality);
  frameAt: IntakeRoom["frameAt"] = (first: Geodetic) => (this.frame ??= new EnuFrame(first));

  register(id: string, profile: SensorProfile, pose: SensorPose | null): void {
    this.sources.register(id, profile, pose);
  }

  firstSight(sourceId: string, observationId: string): boolean {
    const key = `${sourceId}\u0000${observationId}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  intern(identity: string): number {
    const known = this.identities.indexOf(identity);
    return known === -1 ? this.identities.push(identity) : known + 1;
  }

  enqueue(inputs: readonly ScanInput[]) {
    this.inputs.push(...inputs);
    const accepted = inputs.reduce((sum, input) => sum + input.scan.count, 0);
    return { accepted, late: 0, quarantined: 0, duplicates: 0, tick: 1 };
  }

  countRejected(sourceId: string | null, count: number): void {
    this.rejected.set(sourceId, (this.rejected.get(sourceId) ?? 0) + count);
  }

  countDuplicates(_sourceId: string, count: number): void {
    this.duplicatesCounted += count;
  }
}

/** What a push would answer: the counts, or the refusal's code and sentence. */
type Pushed = { readonly reply: Intake } | { readonly code: string; readonly sentence: string };

export function pushBytes(room: SignalsRoom, bytes: Uint8Array, contentType: string): Pushed {
  const parsed = parseSignals(bytes, contentType);
  if (parsed.refused) return { code: parsed.code, sentence: parsed.sentence };
  const intake = new SignalsIntake(room, NOW_MS, parsed.unknownMembers);
  for (const item of parsed.items) intake.add(item);
  if (intake.wrongEnvironment) return { code: "environment_mismatch", sentence: intake.first!.error };
  if (intake.failed) return { code: "invalid_input", sentence: intake.sayFirst() };
  return { reply: intake.finish() };
}

export function push(room: SignalsRoom, body: unknown): Pushed {
  return pushBytes(room, Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), "application/json");
}

export function replyOf(pushed: Pushed): Intake {
  if ("reply" in pushed) return pushed.reply;
  throw new Error(`refused: ${pushed.code} ${pushed.sentence}`);
}
