/** docs/errors.md says what src/domain/errors.ts says, and frozen names stay frozen (docs/interface.md#change-policy). */
import { expect, test } from "vitest";
import { API_ERRORS } from "../../src/domain/errors.ts";
import { CONTROL_EVENTS, DOMAIN_EVENTS, OPT_IN_EVENTS, SLICE_EVENTS, STREAM_ENDS } from "../../src/domain/events.ts";
import { readDocument, tableRows } from "../support/documents.ts";

test("[DO-1] every code is on the page with its status, meaning and advice, and every code of the page exists", () => {
  const written = tableRows(readDocument("docs/errors.md"));
  const wanted = Object.entries(API_ERRORS).map(([code, e]) => [`\`${code}\``, String(e.status), e.when, e.remedy]);
  expect(written).toEqual(wanted);
});

/** Codes as first published. A line may be added here, never changed or taken out: clients branch on these. */
const FROZEN_CODES: Record<string, number> = {
  unauthenticated: 401,
  invalid_input: 400,
  forbidden: 403,
  not_a_member: 403,
  read_only_role: 403,
  verb_not_advertised: 409,
  verb_unavailable: 409,
  feature_absent: 501,
  code_invalid: 401,
  refresh_invalid: 401,
  ticket_invalid: 401,
  too_many_attempts: 429,
  rate_limited: 429,
  too_many_streams: 429,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media: 415,
  params_kind_mismatch: 400,
  invalid_position: 400,
  invalid_spec: 400,
  domain_mismatch: 409,
  model_unknown: 409,
  carried_sensor: 409,
  spec_not_object: 409,
  already_bound: 409,
  already_paired: 409,
  port_in_use: 409,
  plan_not_candidate: 409,
  plan_stale: 409,
  approval_required: 409,
  invalid_state: 409,
  version_conflict: 409,
  run_active: 409,
  environment_mismatch: 409,
  ceiling_too_low: 409,
  mail_refused: 502,
  not_configured: 503,
  unavailable: 503,
  overloaded: 503,
  internal: 500,
};

test("[DO-18] no code was removed, and none changed its status", () => {
  const statuses = Object.fromEntries(Object.entries(API_ERRORS).map(([code, e]) => [code, e.status]));
  expect(statuses).toMatchObject(FROZEN_CODES);
  expect(Object.keys(statuses).filter((code) => !(code in FROZEN_CODES))).toEqual([]);
});

test("[DO-18] event names and their classes are frozen", () => {
  expect(CONTROL_EVENTS).toEqual(["snapshot", "resync"]);
  expect(SLICE_EVENTS).toEqual(["live_state", "engagement_slice", "fleet_slice", "sensor_slice", "integration_slice"]);
  expect(DOMAIN_EVENTS).toEqual(EVENTS);
  expect(OPT_IN_EVENTS).toEqual(["fusion_explain"]);
});

const EVENTS = [
  "track_update",
  "track_removed",
  "obs",
  "alert",
  "coa",
  "engagement",
  "bda",
  "swarm_command",
  "tasking",
  "tasking_status",
  "threat",
  "plan",
  "posture",
  "influence",
];

test("[ST-65] the codes that end a stream are on the page with their reason and whether to come back", () => {
  const rows = tableRows(readDocument("docs/interface.md").split("### Ends")[1]!.split("###")[0]!);
  expect(rows).toEqual(
    Object.entries(STREAM_ENDS).map(([code, end]) => [`\`${code}\``, end.sentence, end.return ? "yes" : "no"]),
  );
});
