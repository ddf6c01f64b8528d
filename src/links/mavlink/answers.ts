/** Results of a COMMAND_ACK (MAV_RESULT of mavlink `common.xml`), and how long we wait for one. */
import type { CommandProgress } from "../../domain/platformReport.ts";

export const RESEND_AFTER_MS = 500;
export const RESENDS_MAX = 3;
/** Wait for the ack of the last sending. A command that may not be resent gets the same time. */
export const ANSWER_WITHIN_MS = RESEND_AFTER_MS * (RESENDS_MAX + 1);
export const BUSY_AGAIN_MS = 1000;

const MAV_RESULT = [
  "accepted",
  "busy",
  "denied",
  "unsupported",
  "failed",
  "in_progress",
  "cancelled",
  "command_long_only",
  "command_int_only",
  "unsupported_frame",
  "not_in_control",
] as const;
export type Result = (typeof MAV_RESULT)[number];

/** The vehicle did not begin, and not because of its present state: trying again is of no use. */
const REFUSALS: ReadonlySet<Result> = new Set([
  "denied",
  "unsupported",
  "command_long_only",
  "command_int_only",
  "unsupported_frame",
  "not_in_control",
]);

export function saysNo(result: Result): boolean {
  return REFUSALS.has(result);
}

export function resultOf(number: number): Result {
  return MAV_RESULT[number] ?? "failed";
}

/** The report to the ledger for a final ack. */
export function wordOf(what: Result): CommandProgress {
  if (what === "accepted") return { is: "succeeded", code: what, text: "the vehicle accepted it" };
  if (what === "busy") return { is: "busy", retryAfterMs: BUSY_AGAIN_MS, text: "the vehicle cannot do it now" };
  if (saysNo(what)) return { is: "refused", code: what, text: `the vehicle answered ${what}` };
  if (what === "cancelled") return { is: "cancelled", code: what, text: "the vehicle cancelled it" };
  return { is: "failed", code: "failed", text: "the vehicle could not do it" };
}
