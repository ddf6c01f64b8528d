/** One successful request to every route of the service, in an order in which all of them can succeed. */
import type { Member } from "./picket.ts";

export interface Situation {
  readonly workspace: string;
  readonly keyId: string;
  readonly entry: { readonly id: string; readonly spec: unknown };
  readonly guest: Member;
  readonly trackId: string;
  readonly refresh: readonly [string, string];
  readonly code: string;
  readonly assetId: string;
  /** An open task, which can be cancelled. */
  readonly taskId: string;
  readonly linkId: string;
  /** Of an unregistered source. */
  readonly discoveryKey: string;
}

interface Example {
  /** The path with its parameters and query; the route's own when absent. */
  readonly path?: string;
  readonly body?: unknown;
  readonly status?: number;
}

export const GUEST = "guest@example.com";
export const seen = () => ({
  source_id: "rid-1",
  modality: "remote_id",
  measured_at: new Date().toISOString(),
  uas_id: "1581F5BKD225D00BP123",
  lat: 51.18,
  lon: -1.73,
});

/** In this order, so that removals come last. */
export const EXAMPLES: Readonly<Record<string, (s: Situation) => Example>> = {
  "GET /": () => ({}),
  "GET /health": () => ({}),
  "GET /api/health": () => ({}),
  "GET /api/metrics": () => ({}),
  "GET /api/openapi.json": () => ({}),
  "GET /api/docs": () => ({ status: 302 }),
  "GET /api/docs/": () => ({}),
  "GET /api/docs/{file}": () => ({ path: "/api/docs/swagger-ui.css" }),
  "POST /api/auth/login": () => ({ body: { email: "somebody@example.com" } }),
  "POST /api/auth/verify": ({ code }) => ({ body: { email: GUEST, code } }),
  "POST /api/auth/refresh": ({ refresh }) => ({ body: { refresh_token: refresh[0] } }),
  "POST /api/auth/logout": ({ refresh }) => ({ body: { refresh_token: refresh[1] } }),
  "POST /api/auth/dev-login": () => ({ body: { email: "new@example.com", workspace_name: "North" } }),
  "GET /api/me": () => ({}),
  "POST /api/keys": () => ({ body: { name: "gate", role: "viewer", expires_at: "2099-01-01T00:00:00Z" }, status: 201 }),
  "GET /api/keys": () => ({}),
  "DELETE /api/keys/{id}": ({ keyId }) => ({ path: `/api/keys/${keyId}`, status: 204 }),
  "GET /api/workspaces": () => ({}),
  "POST /api/workspaces": () => ({ body: { name: "South" }, status: 201 }),
  "GET /api/workspaces/{id}": ({ workspace }) => ({ path: `/api/workspaces/${workspace}` }),
  "GET /api/workspaces/{id}/members": ({ workspace }) => ({ path: `/api/workspaces/${workspace}/members` }),
  "POST /api/workspaces/{id}/members": ({ workspace }) => ({
    path: `/api/workspaces/${workspace}/members`,
    body: { email: GUEST, role: "viewer" },
    status: 201,
  }),
  "POST /api/workspaces/{id}/members/{user_id}": ({ workspace, guest }) => ({
    path: `/api/workspaces/${workspace}/members/${guest.userId}`,
    body: { role: "operator" },
  }),
  "DELETE /api/workspaces/{id}/members/{user_id}": ({ workspace, guest }) => ({
    path: `/api/workspaces/${workspace}/members/${guest.userId}`,
    status: 204,
  }),
  "GET /api/catalog/builtins": () => ({}),
  "GET /api/catalog/products": () => ({}),
  "GET /api/catalog/sensor-profiles": () => ({}),
  "GET /api/catalogue/types": () => ({}),
  "GET /api/catalogue/verbs": () => ({}),
  "GET /api/catalog/entries": () => ({}),
  "POST /api/catalog/entries": ({ entry }) => ({ body: { kind: "vehicle", name: "Kestrel", spec: entry.spec } }),
  "GET /api/catalog/entries/{id}": ({ entry }) => ({ path: `/api/catalog/entries/${entry.id}` }),
  "POST /api/catalog/entries/{id}": ({ entry }) => ({
    path: `/api/catalog/entries/${entry.id}`,
    body: { spec: entry.spec },
  }),
  "POST /api/signals": () => ({ body: seen() }),
  "GET /api/tracks": () => ({ path: "/api/tracks?status=tentative,confirmed,coasting" }),
  "GET /api/tracks/{id}": ({ trackId }) => ({ path: `/api/tracks/${trackId}` }),
  "GET /api/tracks/{id}/history": ({ trackId }) => ({ path: `/api/tracks/${trackId}/history` }),
  "GET /api/tracks/{id}/explain": ({ trackId }) => ({ path: `/api/tracks/${trackId}/explain?limit=5` }),
  "POST /api/tracks/{id}/identity": ({ trackId }) => ({
    path: `/api/tracks/${trackId}/identity`,
    body: { identity: "suspect", label: "one", note: "as an example" },
  }),
  "POST /api/tracks/{id}/split": ({ trackId }) => ({ path: `/api/tracks/${trackId}/split`, body: {} }),
  // No other track is live: check first that both are there.
  "POST /api/tracks/merge": ({ trackId }) => ({ body: { track_ids: [trackId, "trk_none"] }, status: 404 }),
  "GET /api/assets": () => ({ path: "/api/assets?nearest=51,-1&free=true" }),
  "POST /api/assets": () => ({
    body: {
      name: "Mast",
      catalog_name: "radar-3d-short",
      connection: { address: "mast-1" },
      placement: { lat: 51.2, lon: -1.7, alt_hae_m: 130, yaw_deg: 90 },
      switches: { enabled: true },
    },
    status: 201,
  }),
  "GET /api/assets/{id}": ({ assetId }) => ({ path: `/api/assets/${assetId}` }),
  "POST /api/assets/{id}": ({ assetId }) => ({
    path: `/api/assets/${assetId}`,
    body: { spec: {}, name: "Falcon 2", performance: { cruise_mps: 11 } },
  }),
  "POST /api/assets/{id}/bind": ({ assetId }) => ({
    path: `/api/assets/${assetId}/bind`,
    body: { key: "1596F0000001" },
  }),
  "POST /api/assets/{id}/payloads": ({ assetId }) => ({
    path: `/api/assets/${assetId}/payloads`,
    body: { payloads: [{ type: "eo_ir_gimbal", count: 1 }] },
  }),
  "POST /api/tasks/{id}/cancel": ({ taskId }) => ({ path: `/api/tasks/${taskId}/cancel`, body: { reason: "enough" } }),
  "POST /api/assets/{id}/command": ({ assetId }) => ({
    path: `/api/assets/${assetId}/command`,
    body: { verb: "abort", idempotency_key: "once" },
    status: 201,
  }),
  "GET /api/tasks": ({ assetId }) => ({ path: `/api/tasks?asset_id=${assetId}&limit=1&order=desc` }),
  "GET /api/tasks/{id}": ({ taskId }) => ({ path: `/api/tasks/${taskId}` }),
  "GET /api/events": () => ({ path: "/api/events?name=audit.*&limit=2" }),
  "GET /api/discoveries": () => ({}),
  "GET /api/discoveries/{key}": ({ discoveryKey }) => ({ path: `/api/discoveries/${discoveryKey}` }),
  "POST /api/discoveries/{key}/ignore": ({ discoveryKey }) => ({ path: `/api/discoveries/${discoveryKey}/ignore` }),
  "GET /api/links": () => ({}),
  "POST /api/links": () => ({ body: { protocol: "sapient_flex335_v2", port: 0, name: "Nodes" }, status: 201 }),
  "GET /api/links/{id}": ({ linkId }) => ({ path: `/api/links/${linkId}` }),
  "DELETE /api/links/{id}": ({ linkId }) => ({ path: `/api/links/${linkId}`, status: 204 }),
  "DELETE /api/assets/{id}": ({ assetId }) => ({ path: `/api/assets/${assetId}`, status: 204 }),
  "POST /api/auth/stream-ticket": () => ({}),
  "GET /api/picture": () => ({}),
  // Last, because the room is reopened.
  "POST /api/workspaces/{id}": ({ workspace }) => ({
    path: `/api/workspaces/${workspace}`,
    body: { name: "East", origin: { lat: 51, lon: -1 } },
  }),
};
