/** Members of a workspace: list, add by e-mail address, change role, remove (docs/interface.md#workspaces). */
import { Type } from "typebox";
import type { Sql } from "../../db/client.ts";
import { appendEvents } from "../../db/eventLog.ts";
import type { RoomWriter } from "../../db/fencing.ts";
import { actorOf, type Principal } from "../../domain/access.ts";
import { cleanEmail } from "../../domain/email.ts";
import { type ApiErrorCode, isRefusal, type Refusal } from "../../domain/errors.ts";
import { auditDraft, type LoggedRoom } from "../../domain/eventLog.ts";
import { pageOf, WHOLE_QUERY } from "../../http/page.ts";
import { ById, type Refuse, type Route, route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { whyNotChange, whyNotGrant } from "./members.ts";
import type { WorkspaceParts } from "./parts.ts";
import * as schema from "./schema.ts";
import { deleteMember, findMembers, insertMember, lockMembers, updateMemberRole, upsertUser } from "./store.ts";

const ByMember = Type.Object({ id: Type.String(), user_id: Type.String() });
const ERRORS = ["not_found", "forbidden", "invalid_state", "unavailable"] as const;

function inside(id: string, workspaceId: string, refuse: Refuse<"not_found">): void {
  if (id !== workspaceId) refuse("not_found", `the workspace ${id} is not the one in X-Workspace-Id`);
}

function pass<C extends ApiErrorCode>(rule: Refusal<C> | null, refuse: Refuse<C>): void {
  if (rule !== null) refuse(rule);
}

function log(
  sql: Sql,
  room: LoggedRoom & RoomWriter,
  principal: Principal,
  clock: Clock,
  name: string,
  userId: string,
  data: object,
) {
  const subject = { kind: "user", id: userId };
  const draft = auditDraft(room, actorOf(principal), clock.nowMs(), name, subject, data);
  return appendEvents(sql, room, [draft]);
}

function listRoute({ db }: WorkspaceParts): Route {
  return route({
    method: "GET",
    path: "/api/workspaces/{id}/members",
    access: "read",
    tag: "Workspaces",
    summary: "The workspace's members",
    params: ById,
    query: Type.Object(WHOLE_QUERY),
    reply: { 200: Type.Array(schema.Member) },
    errors: ["not_found", "invalid_input", "unavailable"],
    async handle({ params, query, room, refuse }) {
      inside(params.id, room.id, refuse);
      const rows = await db.run((sql) => findMembers(sql, room.id));
      const members = rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
      const path = `/api/workspaces/${room.id}/members`;
      const page = pageOf(path, query, members, (member) => `${member.created_at} ${member.user_id}`);
      return isRefusal(page) ? refuse(page) : { status: 200, ...page };
    },
  });
}

function addRoute({ db, clock, onAccess }: WorkspaceParts): Route {
  return route({
    method: "POST",
    path: "/api/workspaces/{id}/members",
    access: "session_administer",
    tag: "Workspaces",
    summary: "Add a member by e-mail address",
    params: ById,
    body: schema.AddMember,
    reply: { 201: schema.Member },
    errors: [...ERRORS, "invalid_input"],
    async handle({ params, body, room, principal, role, refuse }) {
      inside(params.id, room.id, refuse);
      pass(whyNotGrant(role, body.role), refuse);
      const email = cleanEmail(body.email) ?? refuse("invalid_input", "email must be an e-mail address");
      const member = await db.transact(async (sql) => {
        const user = await upsertUser(sql, newId("usr", clock.nowMs()), email);
        const addedAt = await insertMember(sql, room.id, user.id, body.role);
        if (addedAt === null) return refuse("invalid_state", `${email} is a member already`);
        await log(sql, room, principal, clock, "member_added", user.id, { email, role: body.role });
        return { user_id: user.id, email, name: user.name, role: body.role, created_at: addedAt.toISOString() };
      });
      onAccess({ is: "member_added", workspaceId: room.id, userId: member.user_id });
      return {
        status: 201,
        data: member,
        headers: { Location: `/api/workspaces/${room.id}/members/${member.user_id}` },
      };
    },
  });
}

function editRoute({ db, clock, onAccess }: WorkspaceParts): Route {
  return route({
    method: "POST",
    path: "/api/workspaces/{id}/members/{user_id}",
    access: "session_administer",
    tag: "Workspaces",
    summary: "Change a member's role",
    params: ByMember,
    body: schema.EditMember,
    reply: { 200: schema.Member },
    errors: ERRORS,
    async handle({ params, body, room, principal, role, refuse }) {
      inside(params.id, room.id, refuse);
      const row = await db.transact(async (sql) => {
        pass(whyNotChange(await lockMembers(sql, room.id), params.user_id, role, body.role), refuse);
        await updateMemberRole(sql, room.id, params.user_id, body.role);
        await log(sql, room, principal, clock, "member_role_changed", params.user_id, { role: body.role });
        return (await findMembers(sql, room.id)).find((m) => m.user_id === params.user_id)!;
      });
      onAccess({ is: "role_changed", userId: params.user_id });
      return { status: 200, data: { ...row, created_at: row.created_at.toISOString() } };
    },
  });
}

function removeRoute({ db, clock, onAccess }: WorkspaceParts): Route {
  return route({
    method: "DELETE",
    path: "/api/workspaces/{id}/members/{user_id}",
    access: "session_administer",
    tag: "Workspaces",
    summary: "Remove a member; their streams end",
    params: ByMember,
    reply: { 204: null },
    errors: ERRORS,
    async handle({ params, room, principal, role, refuse }) {
      inside(params.id, room.id, refuse);
      await db.transact(async (sql) => {
        pass(whyNotChange(await lockMembers(sql, room.id), params.user_id, role, null), refuse);
        await deleteMember(sql, room.id, params.user_id);
        await log(sql, room, principal, clock, "member_removed", params.user_id, {});
      });
      onAccess({ is: "member_removed", workspaceId: room.id, userId: params.user_id });
      return { status: 204 };
    },
  });
}

export function memberRoutes(parts: WorkspaceParts): Route[] {
  return [listRoute(parts), addRoute(parts), editRoute(parts), removeRoute(parts)];
}
