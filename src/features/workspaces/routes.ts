/** Workspaces and their members. Where a path names a workspace it must be the one of `X-Workspace-Id`. */

import { Type } from "typebox";
import { appendEvents } from "../../db/eventLog.ts";
import { insertWorkspace } from "../../db/newWorkspace.ts";
import { actorOf, type Role } from "../../domain/access.ts";
import { isRefusal } from "../../domain/errors.ts";
import { auditDraft } from "../../domain/eventLog.ts";
import { isOnEarth } from "../../domain/members.ts";
import { cleanName } from "../../domain/text.ts";
import { pageOf, WHOLE_QUERY } from "../../http/page.ts";
import { ById, type Route, route } from "../../http/route.ts";
import { newId } from "../../lib/ids.ts";
import { memberRoutes } from "./memberRoutes.ts";
import type { WorkspaceParts } from "./parts.ts";
import * as schema from "./schema.ts";
import { findWorkspace, findWorkspacesOf, updateWorkspace, type WorkspaceRow } from "./store.ts";

function toView(row: WorkspaceRow, role: Role, limits: WorkspaceParts["limits"]) {
  const { origin_lat: lat, origin_lon: lon, origin_alt_m: alt, ...rest } = row;
  const origin = lat === null || lon === null ? null : { lat, lon, alt_hae_m: alt ?? 0 };
  return { ...rest, role, origin, created_at: row.created_at.toISOString(), limits };
}

const notHere = (id: string) => `the workspace ${id} is not the one in X-Workspace-Id`;

function listRoute({ db, limits }: WorkspaceParts): Route {
  return route({
    method: "GET",
    path: "/api/workspaces",
    access: "credential",
    tag: "Workspaces",
    summary: "The workspaces that this credential reaches",
    query: Type.Object(WHOLE_QUERY),
    reply: { 200: Type.Array(schema.WorkspaceView) },
    errors: ["invalid_input", "unavailable"],
    async handle({ principal, query, refuse }) {
      const roles =
        principal.kind === "user" ? principal.memberships : new Map([[principal.workspaceId, principal.role]]);
      const rows = await db.run((sql) => findWorkspacesOf(sql, [...roles.keys()]));
      const views = rows.map((row) => toView(row, roles.get(row.id)!, limits));
      const page = pageOf("/api/workspaces", query, views, (view) => `${view.created_at} ${view.id}`);
      return isRefusal(page) ? refuse(page) : { status: 200, ...page };
    },
  });
}

function createRoute({ db, clock, limits, workspacesPerUserMax, onAccess }: WorkspaceParts): Route {
  return route({
    method: "POST",
    path: "/api/workspaces",
    access: "session",
    tag: "Workspaces",
    summary: "Create a workspace, owned by the caller",
    body: schema.CreateWorkspace,
    reply: { 201: schema.WorkspaceView },
    errors: ["invalid_state", "unavailable"],
    async handle({ body, principal, refuse }) {
      const id = newId("wsp", clock.nowMs());
      const row = await db.transact(async (sql) => {
        const named = { id, name: cleanName(body.name), ownerId: principal.userId };
        const tooMany = await insertWorkspace(sql, named, workspacesPerUserMax);
        if (tooMany !== null) refuse(tooMany);
        return (await findWorkspace(sql, id))!;
      });
      onAccess({ is: "member_added", workspaceId: id, userId: principal.userId });
      return { status: 201, data: toView(row, "owner", limits), headers: { Location: `/api/workspaces/${id}` } };
    },
  });
}

function editRoute({ db, clock, limits, onWorkspaceChanged }: WorkspaceParts): Route {
  return route({
    method: "POST",
    path: "/api/workspaces/{id}",
    access: "administer",
    tag: "Workspaces",
    summary: "Change name, origin or retention",
    params: ById,
    body: schema.EditWorkspace,
    reply: { 200: schema.WorkspaceView },
    errors: ["not_found", "invalid_position", "unavailable"],
    async handle({ params, body, room, principal, role, refuse }) {
      if (params.id !== room.id) refuse("not_found", notHere(params.id));
      if (body.origin && !isOnEarth(body.origin.lat, body.origin.lon))
        refuse("invalid_position", "origin is not a point on the earth");
      const row = await db.transact(async (sql) => {
        const origin = body.origin
          ? { lat: body.origin.lat, lon: body.origin.lon, alt: body.origin.alt_hae_m ?? 0 }
          : body.origin;
        await updateWorkspace(sql, room.id, {
          ...(body.name === undefined ? {} : { name: cleanName(body.name) }),
          ...(origin === undefined ? {} : { origin }),
          ...(body.retention === undefined ? {} : { retention: body.retention }),
        });
        const subject = { kind: "workspace", id: room.id };
        const draft = auditDraft(room, actorOf(principal), clock.nowMs(), "workspace_edited", subject, body);
        await appendEvents(sql, room, [draft]);
        return (await findWorkspace(sql, room.id))!;
      });
      if (body.origin !== undefined) onWorkspaceChanged(room.id);
      return { status: 200, data: toView(row, role, limits) };
    },
  });
}

export function workspaceRoutes(parts: WorkspaceParts): Route[] {
  const { db, limits } = parts;
  return [
    listRoute(parts),
    createRoute(parts),
    route({
      method: "GET",
      path: "/api/workspaces/{id}",
      access: "read",
      tag: "Workspaces",
      summary: "One workspace",
      params: ById,
      reply: { 200: schema.WorkspaceView },
      errors: ["not_found", "unavailable"],
      async handle({ params, room, role, refuse }) {
        const row = params.id === room.id ? await db.run((sql) => findWorkspace(sql, room.id)) : null;
        return row === null
          ? refuse("not_found", notHere(params.id))
          : { status: 200, data: toView(row, role, limits) };
      },
    }),
    editRoute(parts),
    ...memberRoutes(parts),
  ];
}
