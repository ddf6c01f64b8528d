/**
 * The catalogue of refusals (docs/errors.md). Codes are frozen: one may be added, none changed or removed.
 * A refusal is a value; only the edge turns it into an answer. `docs/errors.md` is checked against this table.
 */
export const API_ERRORS = {
  unauthenticated: {
    status: 401,
    when: "no credential, or a key that was revoked or never issued",
    remedy: "sign in, or send a valid X-Api-Key",
  },
  invalid_input: {
    status: 400,
    when: "the request failed validation; the error names the rule",
    remedy: "correct the request",
  },
  forbidden: {
    status: 403,
    when: "the credential does not reach this workspace, or the role is too low",
    remedy: "use another credential or ask an admin",
  },
  not_a_member: {
    status: 403,
    when: "the session names a workspace the user is not in",
    remedy: "pick a workspace from GET /api/me",
  },
  read_only_role: { status: 403, when: "a write by a viewer", remedy: "ask an admin for a role that may write" },
  verb_not_advertised: {
    status: 409,
    when: "a command for a verb the asset does not advertise",
    remedy: "read the asset's verbs",
  },
  verb_unavailable: {
    status: 409,
    when: "the verb is advertised but not available now",
    remedy: "read unavailable_reason, then retry",
  },
  feature_absent: { status: 501, when: "the deployment lacks the feature", remedy: "use a deployment that has it" },
  code_invalid: { status: 401, when: "a wrong or expired sign-in code", remedy: "ask for a new code" },
  refresh_invalid: { status: 401, when: "a refresh token that is unknown, spent or expired", remedy: "sign in again" },
  ticket_invalid: {
    status: 401,
    when: "a stream ticket that is unknown, spent or expired",
    remedy: "mint a new ticket",
  },
  too_many_attempts: { status: 429, when: "too many wrong codes for one login", remedy: "log in again for a new code" },
  rate_limited: { status: 429, when: "more requests than the limit allows", remedy: "wait for Retry-After" },
  too_many_streams: {
    status: 429,
    when: "the stream cap of the workspace or process is reached",
    remedy: "close a stream, or retry later",
  },
  not_found: { status: 404, when: "no such resource in this workspace", remedy: "check the id and the workspace" },
  method_not_allowed: {
    status: 405,
    when: "the path exists, the method does not",
    remedy: "use a method from the Allow header",
  },
  payload_too_large: {
    status: 413,
    when: "the body, or the number of observations in it, is over its limit",
    remedy: "split the request",
  },
  unsupported_media: {
    status: 415,
    when: "the content type or encoding is not understood here",
    remedy: "use a type that the description lists",
  },
  params_kind_mismatch: {
    status: 400,
    when: "the verb needs parameters of another kind",
    remedy: "read the verb's params_schema",
  },
  invalid_position: {
    status: 400,
    when: "a latitude or longitude is not on the earth",
    remedy: "correct the position",
  },
  invalid_spec: { status: 400, when: "the spec does not parse", remedy: "correct the spec" },
  domain_mismatch: {
    status: 409,
    when: "the catalogue entry is of another domain",
    remedy: "pick another entry or domain",
  },
  model_unknown: { status: 409, when: "the model is not in the catalogue", remedy: "pick a model from the catalogue" },
  carried_sensor: { status: 409, when: "a carried sensor cannot be placed by hand", remedy: "place its host" },
  spec_not_object: { status: 409, when: "the spec is not an object", remedy: "send an object" },
  already_bound: { status: 409, when: "the serial is bound to another asset", remedy: "unbind it there first" },
  already_paired: { status: 409, when: "the asset already carries a serial", remedy: "use another asset" },
  port_in_use: { status: 409, when: "the address is already bound", remedy: "choose another port" },
  plan_not_candidate: { status: 409, when: "the plan is no longer in the candidate set", remedy: "re-read the plans" },
  plan_stale: { status: 409, when: "the picture moved past the plan's tolerance", remedy: "approve a fresh plan" },
  approval_required: { status: 409, when: "the action needs an approved plan", remedy: "approve a plan first" },
  invalid_state: { status: 409, when: "the move is not possible from this state", remedy: "re-read the resource" },
  version_conflict: { status: 409, when: "the resource changed since it was read", remedy: "re-read, then retry" },
  run_active: { status: 409, when: "a simulation run is active", remedy: "stop it first" },
  environment_mismatch: {
    status: 409,
    when: "live data in a simulated workspace, or the reverse",
    remedy: "change the environment or the data",
  },
  ceiling_too_low: {
    status: 409,
    when: "the autonomy ceiling does not allow it",
    remedy: "raise the ceiling, with a reason",
  },
  mail_refused: {
    status: 502,
    when: "the mail provider refused the sign-in code",
    remedy: "check the address, retry later",
  },
  not_configured: {
    status: 503,
    when: "a required backing service is not configured",
    remedy: "ask the operator of the deployment",
  },
  unavailable: {
    status: 503,
    when: "the database or another backing service does not answer",
    remedy: "retry after Retry-After",
  },
  overloaded: {
    status: 503,
    when: "the tracker's inbox or the queue of writes is full; nothing of the request was taken",
    remedy: "retry after Retry-After",
  },
  internal: {
    status: 500,
    when: "a fault of the service; the log has the request id",
    remedy: "report the request id",
  },
} as const satisfies Record<string, { status: number; when: string; remedy: string }>;

export type ApiErrorCode = keyof typeof API_ERRORS;

/**
 * A rule refused. `sentence` is for a person; clients branch on `code`. The type parameter names the codes that can come
 * out of a function, so that a route which passes a refusal on must have declared each of them.
 */
export interface Refusal<C extends ApiErrorCode = ApiErrorCode> {
  readonly refused: true;
  readonly code: C;
  readonly sentence: string;
  /** Extra response headers, e.g. Retry-After, Allow, Location. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function refusal<const C extends ApiErrorCode>(
  code: C,
  sentence: string,
  headers?: Record<string, string>,
): Refusal<C> {
  return headers ? { refused: true, code, sentence, headers } : { refused: true, code, sentence };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && (value as { refused?: unknown }).refused === true;
}

/** Carries a refusal out of a transaction, so that it rolls back. Only the edge catches it. */
export class RefusedError extends Error {
  override name = "RefusedError";
  readonly refusal: Refusal;
  constructor(refused: Refusal) {
    super(`${refused.code}: ${refused.sentence}`);
    this.refusal = refused;
  }
}

/** A backing service failed (database away, deadline passed). The edge answers 503 `unavailable`. */
export class UnavailableError extends Error {
  override name = "UnavailableError";
  /** The write may have been made all the same: the fault came during the commit. */
  readonly outcomeUnknown: boolean;
  constructor(message: string, options: ErrorOptions & { readonly outcomeUnknown?: boolean } = {}) {
    super(message, options);
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }
}

/** True for a fault that passes: the same call may succeed a moment later. */
export function isForLater(fault: unknown): boolean {
  return fault instanceof UnavailableError || (fault instanceof RefusedError && fault.refusal.code === "overloaded");
}
