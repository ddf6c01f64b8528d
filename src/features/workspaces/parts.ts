/** What the workspaces' routes are handed. */
import type { Database } from "../../db/client.ts";
import type { AccessChange } from "../../domain/access.ts";
import type { Clock } from "../../lib/clock.ts";

export interface WorkspaceParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: { readonly tracks: number; readonly streams: number };
  readonly onAccess: (change: AccessChange) => void;
  /** Origin or settings changed: the room must open anew. */
  readonly onWorkspaceChanged: (workspaceId: string) => void;
}
