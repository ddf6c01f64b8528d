/**
 * The journey of a command (docs/architecture.md#journey-of-a-command): decide, write, commit, publish. The radio is used
 * afterwards and never delays the reply. A refused command is written too, with the sentence of its refusal.
 */
import type { Database } from "../../db/client.ts";
import { appendEvents } from "../../db/eventLog.ts";
import { type Actor, actorOf, type Principal } from "../../domain/access.ts";
import { NO_VEHICLE_CONTROL, type VerbFacts } from "../../domain/availability.ts";
import { isRefusal, type Refusal, refusal } from "../../domain/errors.ts";
import { isTerminal, moved, type Task } from "../../domain/task.ts";
import type { WrongParams } from "../../domain/verbParams.ts";
import { canonicalJson } from "../../lib/canonicalJson.ts";
import { type Clock, toRfc3339 } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { OPEN_TASKS_PER_ASSET_MAX } from "../../limits.ts";
import type { FleetEntry, RoomFace } from "../../room/face.ts";
import { statusDraft, taskDraft } from "../../tasking/drafts.ts";
import { findTaskByKey, insertTask } from "../../tasking/store.ts";
import { replaces } from "../../tasking/supersession.ts";
import { commitMoves, type Moved, writeMoves } from "../../tasking/writeMoves.ts";
import {
  advertised,
  type Decision,
  decideCommand,
  estimateOf,
  type NormalCommand,
  normalCommand,
  paramsFor,
  whyNotCommand,
} from "./decide.ts";
import type { AssetCommand, DryRun } from "./schema.ts";

export interface CommandParts {
  readonly db: Database;
  readonly clock: Clock;
  /** false: a build without vehicle control. */
  readonly vehicleControl: boolean;
}

type Commanded =
  | { readonly is: "written"; readonly task: Task }
  | { readonly is: "dry_run"; readonly would: DryRun["would"] };

/** Refusals without a task: the body is no valid command, or there is no such asset. */
type Refused = WrongParams | Refusal<"not_found" | "feature_absent">;

export async function commandAsset(
  { db, clock, vehicleControl }: CommandParts,
  room: RoomFace,
  principal: Principal,
  assetId: string,
  given: AssetCommand,
): Promise<Commanded | Refused> {
  const { forces } = room;
  if (forces.find(assetId) === null) return refusal("not_found", `no asset ${assetId} in this workspace`);
  if (!vehicleControl) return refusal("feature_absent", NO_VEHICLE_CONTROL);
  const isUrgent = given.verb === "abort";
  return room.serially(async () => {
    const entry = forces.find(assetId);
    if (entry === null) return refusal("not_found", `no asset ${assetId} in this workspace`);
    const nowMs = clock.nowMs();
    const facts = forces.factsOf(entry);
    const command = normalCommand(given, facts);
    const verb = advertised(command, facts);
    // First, because a repeated command is answered with its task even if it would be refused by now.
    const repeated = command.dry_run === true ? null : await findRepeated(db, room, entry.id, command, facts, nowMs);
    if (repeated !== null) return isRefusal(repeated) ? repeated : { is: "written", task: repeated };
    const wrong = whyNotCommand(command, verb, facts, nowMs);
    if (wrong !== null) return wrong;
    const decision = decideCommand(command, verb, facts, (id) => {
      const track = room.tracks.get(id);
      return (
        track && {
          lat: track.bearingOnly ? null : track.lat,
          lon: track.bearingOnly ? null : track.lon,
          status: track.status,
        }
      );
    });
    if (command.dry_run === true) return { is: "dry_run", would: wouldBe(room, entry, command, decision, nowMs) };
    if (decision.is === "accepted" && facts.openTasks.length >= OPEN_TASKS_PER_ASSET_MAX)
      return refusal("invalid_input", `${facts.assetName} has its limit of ${OPEN_TASKS_PER_ASSET_MAX} open tasks`);
    const actor = actorOf(principal);
    const task = newTask(room, entry, command, decision, actor, nowMs);
    const older = decision.is === "accepted" ? facts.openTasks : [];
    const written = await db.transact(async (sql) => {
      await insertTask(sql, room.id, task);
      const replaced = await writeMoves(sql, room.id, older, (one) => superseded(one, task, nowMs));
      await appendEvents(sql, room, [
        taskDraft(room, actor, task, nowMs),
        ...replaced.moves.map((move) => statusDraft(room, actor, move.task, move.previous, nowMs)),
      ]);
      return replaced;
    });
    commitMoves(room, written, nowMs);
    room.commit({ op: "task_moved", task, previous: null }, nowMs);
    return { is: "written", task };
  }, isUrgent);
}

/** The task of this idempotency key; null: none. A key of another command is refused. */
async function findRepeated(
  db: Database,
  room: RoomFace,
  assetId: string,
  command: NormalCommand,
  facts: VerbFacts,
  nowMs: number,
): Promise<Task | Refusal<"invalid_input"> | null> {
  const key = command.idempotency_key;
  if (key == null) return null;
  const task = await db.run((sql) => findTaskByKey(sql, room.id, room.forces.namesOf(assetId), key));
  if (task === null) return null;
  // In the normal form of now: the asset's modes may have been unknown when the task was written.
  const before = paramsFor(task.verb, task.params, facts);
  const isSame = task.verb === command.verb && canonicalJson(before) === canonicalJson(command.params);
  if (!isSame) return refusal("invalid_input", `the idempotency_key ${key} was used for another command`);
  // It was written, but the answer was lost: the repetition shows that the client wants it, so the room takes it.
  const isStray = !isTerminal(task.status) && room.tasks.get(task.id) === undefined;
  if (isStray) room.commit({ op: "task_moved", task, previous: null }, nowMs);
  return task;
}

function newTask(
  room: RoomFace,
  entry: FleetEntry,
  command: NormalCommand,
  decision: Decision,
  actor: Actor,
  nowMs: number,
): Task {
  const at = toRfc3339(nowMs);
  const isRefused = decision.is === "refused";
  const status = isRefused ? "refused" : "queued";
  const wantedMs = command.deadline_at == null ? null : Date.parse(command.deadline_at);
  const deadlineMs = isRefused ? null : nowMs + decision.verb.deadlineS * 1000;
  return {
    id: newId("tsk", nowMs),
    asset_id: entry.id,
    verb: command.verb,
    params: { ...command.params },
    status,
    status_version: 1,
    reason: isRefused ? decision.sentence : null,
    reason_code: isRefused ? (decision.ruleId === "not_advertised" ? decision.code : decision.ruleId) : null,
    rule_id: isRefused ? decision.ruleId : null,
    created_by: { kind: actor.kind, id: actor.id, name: actor.name },
    created_at: at,
    sent_at: null,
    acked_at: null,
    started_at: null,
    ended_at: isRefused ? at : null,
    deadline_at: wantedMs !== null ? toRfc3339(wantedMs) : deadlineMs === null ? null : toRfc3339(deadlineMs),
    attempts: 0,
    progress_pct: null,
    eta_at: null,
    result: null,
    parent_task_id: null,
    plan_id: command.plan_id ?? null,
    threat_id: command.threat_id ?? null,
    engagement_id: null,
    idempotency_key: command.idempotency_key ?? null,
    command_reason: command.reason ?? null,
    env: entry.origin === "sim_twin" ? "sim" : room.environment,
    history: [{ status, at, by: actor.id, note: isRefused ? decision.sentence : null }],
  };
}

/** A queued task is superseded at once; a running one when the asset has taken on the newer one (`supersession.ts`). */
function superseded(older: Task, by: Task, nowMs: number): Moved | null {
  if (older.status !== "queued" || !replaces(by, older)) return null;
  const task = moved(older, "superseded", {
    nowMs,
    by: by.created_by.id,
    reason: `${by.verb} (${by.id}) took over`,
    reasonCode: "superseded",
  });
  return task === null ? null : { task, previous: older.status };
}

function wouldBe(
  room: RoomFace,
  entry: FleetEntry,
  { params }: NormalCommand,
  decision: Decision,
  nowMs: number,
): DryRun["would"] {
  if (decision.is === "refused") return { status: "refused", reason: decision.sentence, estimate: null };
  const from = room.forces.view(entry, nowMs).motion;
  const track = params.kind === "track" ? room.tracks.get(params.track_id as string) : undefined;
  const to = track ?? (typeof params.lat === "number" ? { lat: params.lat, lon: params.lon as number } : null);
  const performance = entry.origin === "discovered" ? null : room.forces.performanceOf(entry.asset);
  return { status: "queued", reason: null, estimate: estimateOf(from, to, performance) };
}
