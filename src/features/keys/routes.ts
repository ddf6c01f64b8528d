/** API keys: created, listed and revoked with a session, never with a key (docs/interface.md#sign-in). */
import { Type } from "typebox";
import type { Database, Sql } from "../../db/client.ts";
import { appendEvents } from "../../db/eventLog.ts";
import { type AccessChange, actorOf, mayGrant } from "../../domain/access.ts";
import { auditDraft } from "../../domain/eventLog.ts";
import { cleanName } from "../../domain/text.ts";
import { PAGE_QUERY, pageOfFound, readCursor } from "../../http/page.ts";
import { ById, type Route, route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";
import { newId, newSecret, sha256 } from "../../lib/ids.ts";
import { KEYS_PER_WORKSPACE_MAX, LIST_LIMIT_DEFAULT } from "../../limits.ts";
import { CreatedKey, CreateKey, iso, KeyListItem, toItem } from "./schema.ts";
import { countLiveKeys, findKeys, insertKey, revokeKey } from "./store.ts";

/** The beginning of a secret that the list shows, so that people can tell keys apart: 8 characters after `dak_`. */
const PREFIX_LENGTH = 12;
export interface KeyParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly onAccess: (change: AccessChange) => void;
  /** Writes the times of last use that are still in memory; the list calls it before it reads. */
  readonly flushUse: () => Promise<void>;
}

function createRoute({ db, clock }: KeyParts): Route {
  return route({
    method: "POST",
    path: "/api/keys",
    access: "session_administer",
    tag: "Keys",
    summary: "Create an API key",
    body: CreateKey,
    reply: { 201: CreatedKey },
    errors: ["invalid_input", "forbidden", "invalid_state", "unavailable"],
    async handle({ body, room, principal, role, refuse }) {
      const keyRole = body.role ?? "operator";
      if (!mayGrant(role, keyRole)) refuse("forbidden", `a ${role} cannot make a key with the role ${keyRole}`);
      const nowMs = clock.nowMs();
      const expiresAt = body.expires_at ? new Date(body.expires_at) : null;
      if (expiresAt !== null && !(expiresAt.getTime() > nowMs))
        refuse("invalid_input", "expires_at must be a time in the future");
      const createdBy = principal.kind === "user" ? principal.userId : principal.keyId;
      const secret = newSecret("dak");
      const key = {
        workspaceId: room.id,
        id: newId("key", nowMs),
        name: cleanName(body.name),
        prefix: secret.slice(0, PREFIX_LENGTH),
        secretHash: sha256(secret),
        role: keyRole,
        createdBy,
        expiresAt,
      };
      const create = async (sql: Sql) => {
        if ((await countLiveKeys(sql, room.id)) >= KEYS_PER_WORKSPACE_MAX)
          refuse(
            "invalid_state",
            `this workspace already has its limit of ${KEYS_PER_WORKSPACE_MAX} keys; revoke one first`,
          );
        const insertedAt = await insertKey(sql, key);
        const told = { name: key.name, prefix: key.prefix, role: keyRole };
        const subject = { kind: "key", id: key.id };
        const draft = auditDraft(room, actorOf(principal), nowMs, "key_created", subject, told);
        await appendEvents(sql, room, [draft]);
        return insertedAt;
      };
      // One after the other: of many at once, each would count the keys before any of the others is there.
      const createdAt = await room.serially(() => db.transact(create));
      const data = {
        id: key.id,
        name: key.name,
        prefix: key.prefix,
        secret,
        role: keyRole,
        created_at: createdAt.toISOString(),
        expires_at: iso(expiresAt),
      };
      return { status: 201, data, headers: { Location: `/api/keys/${key.id}` } };
    },
  });
}

/** The id at the end of the page before; null where the cursor is not one of this list, which has a single order. */
function readKeyId(cursor: string): string | null {
  const id = readCursor(cursor, undefined);
  return id !== null && /^key_[0-9a-z]{26}$/.test(id) ? id : null;
}

function listRoute({ db, flushUse }: KeyParts): Route {
  return route({
    method: "GET",
    path: "/api/keys",
    access: "session_administer",
    tag: "Keys",
    summary: "The workspace's API keys, newest first",
    query: Type.Object({ limit: PAGE_QUERY.limit, cursor: PAGE_QUERY.cursor }),
    reply: { 200: Type.Array(KeyListItem) },
    errors: ["invalid_input", "unavailable"],
    async handle({ room, query, refuse }) {
      const { limit = LIST_LIMIT_DEFAULT, cursor } = query;
      const olderThanId = cursor === undefined ? null : readKeyId(cursor);
      if (cursor !== undefined && olderThanId === null)
        return refuse("invalid_input", "cursor is not one of this list");
      await flushUse();
      const found = await db.run((sql) => findKeys(sql, room.id, olderThanId, limit + 1));
      return { status: 200, ...pageOfFound("/api/keys", query, found.map(toItem), ({ id }) => id) };
    },
  });
}

export function keyRoutes(parts: KeyParts): Route[] {
  const { db, onAccess } = parts;
  return [
    createRoute(parts),
    listRoute(parts),
    route({
      method: "DELETE",
      path: "/api/keys/{id}",
      access: "session_administer",
      tag: "Keys",
      summary: "Revoke an API key with immediate effect",
      params: ById,
      reply: { 204: null },
      errors: ["not_found", "unavailable"],
      async handle({ params, room, principal, refuse }) {
        await db.transact(async (sql) => {
          if (!(await revokeKey(sql, room.id, params.id)))
            refuse("not_found", `no live key ${params.id} in this workspace`);
          const subject = { kind: "key", id: params.id };
          const draft = auditDraft(room, actorOf(principal), parts.clock.nowMs(), "key_revoked", subject, {});
          await appendEvents(sql, room, [draft]);
        });
        onAccess({ is: "key_revoked", workspaceId: room.id, keyId: params.id });
        return { status: 204 };
      },
    }),
  ];
}
