/** A link that is open, and one that ought to be, as their host keeps them. */
import type { LinkSettings, OpenLink } from "./adapter.ts";

export interface HeldLink {
  readonly workspaceId: string;
  readonly settings: LinkSettings;
  readonly assetId: string | null;
  readonly secretPrefix: string | null;
  readonly createdAtMs: number | null;
  readonly open: OpenLink;
}

export interface RefusedLink {
  readonly workspaceId: string;
  readonly settings: LinkSettings;
  readonly reason: string;
}
