/** What the workspaces' routes are handed. */
import type { Database } from "../../db/client.ts";
import type { Clock } from "../../lib/clock.ts";

export interface WorkspaceParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: { readonly tracks: number; readonly streams: number };
  /** Memberships of the user changed: forget what was believed. */
  readonly onUserChanged: (userId: string) => void;
  /** The user is no member any more: end the streams they hold there. */
  readonly onMemberRemoved: (workspaceId: string, userId: string) => void;
  /** Origin or settings changed: the room must open anew. */
  readonly onWorkspaceChanged: (workspaceId: string) => void;
}
