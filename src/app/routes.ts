/** The route table: the lists of all slices. A route that is not in it does not exist. */
import { assetRoutes } from "../features/assets/routes.ts";
import { type AuthParts, authRoutes } from "../features/auth/routes.ts";
import { catalogueRoutes } from "../features/catalogue/routes.ts";
import { eventRoutes } from "../features/events/routes.ts";
import { type KeyParts, keyRoutes } from "../features/keys/routes.ts";
import { linkRoutes } from "../features/links/routes.ts";
import { type MetaParts, metaRoutes } from "../features/meta/routes.ts";
import { signalRoutes } from "../features/signals/routes.ts";
import { type StreamParts, streamRoutes } from "../features/stream/routes.ts";
import { taskRoutes } from "../features/tasks/routes.ts";
import { trackRoutes } from "../features/tracks/routes.ts";
import { workspaceRoutes } from "../features/workspaces/routes.ts";
import type { Route } from "../http/route.ts";

interface RouteParts {
  readonly meta: MetaParts;
  readonly auth: AuthParts;
  readonly keys: KeyParts;
  readonly workspaces: Parameters<typeof workspaceRoutes>[0];
  readonly stream: StreamParts;
  readonly catalogue: Parameters<typeof catalogueRoutes>[0];
  readonly assets: Parameters<typeof assetRoutes>[0];
  readonly tasks: Parameters<typeof taskRoutes>[0];
  readonly tracks: Parameters<typeof trackRoutes>[0];
  readonly links: Parameters<typeof linkRoutes>[0];
  readonly events: Parameters<typeof eventRoutes>[0];
}

export function buildRoutes(parts: RouteParts): Route[] {
  return [
    ...metaRoutes(parts.meta),
    ...authRoutes(parts.auth),
    ...keyRoutes(parts.keys),
    ...workspaceRoutes(parts.workspaces),
    ...catalogueRoutes(parts.catalogue),
    ...signalRoutes(),
    ...trackRoutes(parts.tracks),
    ...streamRoutes(parts.stream),
    ...assetRoutes(parts.assets),
    ...taskRoutes(parts.tasks),
    ...linkRoutes(parts.links),
    ...eventRoutes(parts.events),
  ];
}
