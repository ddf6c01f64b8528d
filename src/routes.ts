/** The route table: the slices' lists, one after the other. What is not here does not exist. */
import { type AuthParts, authRoutes } from "./features/auth/routes.ts";
import { catalogueRoutes } from "./features/catalogue/routes.ts";
import { type KeyParts, keyRoutes } from "./features/keys/routes.ts";
import { type MetaParts, metaRoutes } from "./features/meta/routes.ts";
import { signalRoutes } from "./features/signals/routes.ts";
import { trackRoutes } from "./features/signals/trackRoutes.ts";
import { type StreamParts, streamRoutes } from "./features/stream/routes.ts";
import { type WorkspaceParts, workspaceRoutes } from "./features/workspaces/routes.ts";
import type { Route } from "./http/route.ts";

export interface RouteParts {
  readonly meta: MetaParts;
  readonly auth: AuthParts;
  readonly keys: KeyParts;
  readonly workspaces: WorkspaceParts;
  readonly stream: StreamParts;
  readonly catalogue: Parameters<typeof catalogueRoutes>[0];
}

export function buildRoutes(parts: RouteParts): Route[] {
  return [
    ...metaRoutes(parts.meta),
    ...authRoutes(parts.auth),
    ...keyRoutes(parts.keys),
    ...workspaceRoutes(parts.workspaces),
    ...catalogueRoutes(parts.catalogue),
    ...signalRoutes(),
    ...trackRoutes(),
    ...streamRoutes(parts.stream),
  ];
}
