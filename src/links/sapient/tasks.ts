/**
 * Verbs -> SAPIENT tasks (for start, stop and pause see `controls.ts`), and a node's acks -> progress. Pure.
 */
import type { CommandProgress, OutgoingCommand } from "../../domain/platformReport.ts";
import type { Content, Fields } from "./messages.ts";

/** Without set_region: a SAPIENT region carries its area, and there are no regions here yet to take one from. */
export const SAPIENT_VERBS = ["look_at", "set_mode", "set_threshold", "start", "stop", "pause"] as const;

export const CONTROL = { start: 1, stop: 2, pause: 3 } as const;
const THRESHOLD: Readonly<Record<string, number>> = { low: 1, medium: 2, high: 3 };
/** Parameters of `set_threshold`, as commands. */
const THRESHOLDS = [
  ["detection", "detectionThreshold"],
  ["classification", "classificationThreshold"],
  ["report_rate", "detectionReportRate"],
] as const;
const DEGREES_M = 1;
const TRUE_NORTH = 1;
const LAT_LNG_DEG = 1;
const ELLIPSOID = 1;

/** SAPIENT asks for a ULID; the end of our ids is one in lower case. */
export function ulidOf(taskId: string): string {
  return taskId.slice(taskId.indexOf("_") + 1).toUpperCase();
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Id of a further task of one command. It depends on the command only, so that it is the same after a restart. */
function partIdOf(taskId: string, part: number): string {
  const id = ulidOf(taskId);
  return id.slice(0, -1) + CROCKFORD[(CROCKFORD.indexOf(id.at(-1)!) + part) % CROCKFORD.length];
}

/** One SAPIENT task of a command, with its name for a person. */
export interface TaskPart {
  readonly id: string;
  readonly label: string;
  readonly content: Content;
}

/** null: SAPIENT has no task for the verb. */
export function taskParts(command: OutgoingCommand): TaskPart[] | null {
  if (command.verb === "set_threshold") return thresholdParts(command);
  const content = taskContent(command);
  return content === null ? null : [{ id: ulidOf(command.taskId), label: command.verb, content }];
}

/** A SAPIENT task has one threshold at most. */
function thresholdParts({ taskId, verb, params }: OutgoingCommand): TaskPart[] | null {
  const given = THRESHOLDS.filter(([param]) => typeof params[param] === "string");
  const parts = given.map(([param, name], part) => {
    const id = partIdOf(taskId, part);
    const command = { command: { case: name, value: THRESHOLD[String(params[param])] } };
    const content = { case: "task", value: { taskId: id, taskName: verb, control: CONTROL.start, command } };
    return { id, label: param, content };
  });
  return parts.length === 0 ? null : parts;
}

function taskContent({ taskId, verb, params }: OutgoingCommand): Content | null {
  const base = { taskId: ulidOf(taskId), taskName: verb };
  const start = (more: Fields): Content => ({ case: "task", value: { ...base, control: CONTROL.start, ...more } });
  const command = (name: string, value: unknown): Fields => ({ command: { command: { case: name, value } } });
  switch (verb) {
    case "set_mode":
      return start(command("modeChange", params.mode));
    case "look_at":
      return start(command("lookAt", { fovOneof: lookAt(params) }));
    default:
      return null;
  }
}

function lookAt(params: Fields): Content {
  if (params.kind === "angle")
    return {
      case: "rangeBearing",
      value: {
        azimuth: params.az_deg,
        elevation: params.el_deg,
        ...(params.hfov_deg === undefined ? {} : { horizontalExtent: params.hfov_deg }),
        coordinateSystem: DEGREES_M,
        datum: TRUE_NORTH,
      },
    };
  const z = params.alt_hae_m ?? (params.alt_ref === "hae" ? params.alt_m : undefined);
  const location = {
    x: params.lon,
    y: params.lat,
    ...(typeof z === "number" ? { z } : {}),
    coordinateSystem: LAT_LNG_DEG,
    datum: ELLIPSOID,
  };
  return { case: "locationList", value: { locations: [location] } };
}

export const reasonsOf = (ack: Fields): string =>
  Array.isArray(ack.reason) ? ack.reason.map(String).join("; ").slice(0, 500) : "";

/** TaskAck.task_status: accepted, rejected, completed, failed. */
export function progressOf(ack: Fields): CommandProgress | null {
  const reasons = reasonsOf(ack);
  switch (ack.taskStatus) {
    case 1:
      return { is: "accepted" };
    case 2:
      return { is: "refused", code: "rejected", text: reasons || "the node rejected it" };
    case 3:
      return { is: "succeeded", code: "completed", text: reasons || "the node completed it" };
    case 4:
      return { is: "failed", code: "failed", text: reasons || "the node failed" };
    default:
      return null;
  }
}

/** The same values as acks of CONTROL_STOP, which has the id of the task to end; the protocol has no "cancelled". */
export function stopAnswerOf(ack: Fields): CommandProgress | null {
  switch (ack.taskStatus) {
    case 1:
    case 3:
      return { is: "cancelled", code: "stopped", text: reasonsOf(ack) || "the node stopped it" };
    case 2:
      return { is: "cancel_declined", text: reasonsOf(ack) || "the node goes on with it" };
    default:
      return progressOf(ack);
  }
}
