/** Everything that the edge is given at start: routes as data, authentication, rooms, log, clock and limits. */
import type { Logger } from "pino";
import type { Principal } from "../domain/access.ts";
import type { Refusal } from "../domain/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { NoRoom, RoomFace } from "../room/face.ts";
import type { EdgeMetrics } from "./metrics.ts";
import type { Route } from "./route.ts";

export interface EdgeParts {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly routes: readonly Route[];
  /**
   * The principal behind a credential. Exactly one of the two is not empty: where both are sent, the session counts.
   * Synchronous when the credential was verified before; then the whole request is handled without a promise.
   */
  readonly authenticate: (bearer: string, apiKey: string) => Principal | Refusal | Promise<Principal | Refusal>;
  readonly openWorkspace: (id: string) => RoomFace | NoRoom | Promise<RoomFace | NoRoom>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: EdgeMetrics;
  /** A refusal when the credential asks too often (RATE_LIMIT_RPS); absent is no limit. */
  readonly limit?: (principalId: string) => Refusal | null;
  /** Origins of other pages that may call from a browser (CORS_ORIGINS); absent is none. */
  readonly corsOrigins?: readonly string[];
  /** Ends the streams with a last comment when the service drains. Those still open at the end are cut. */
  readonly endStreams?: () => void;
}
