/** What the wiring hands to the routes of workspaces. */
import type { Database } from "../../db/client.ts";
import type { AccessChange } from "../../domain/access.ts";
import type { Clock } from "../../lib/clock.ts";

export interface WorkspaceParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: { readonly tracks: number; readonly streams: number };
  /** How many one user may make. */
  readonly workspacesPerUserMax: number;
  readonly onAccess: (change: AccessChange) => void;
  /** Called when the origin changed: the room closes and opens with the new one. */
  readonly onWorkspaceChanged: (workspaceId: string) => void;
}
