/** Inserts a workspace with its owner, at the first sign-in or by request. */
import type { Sql } from "./client.ts";

export async function insertWorkspace(sql: Sql, id: string, name: string, ownerId: string): Promise<void> {
  await sql`insert into workspaces (id, name) values (${id}, ${name})`;
  await sql`insert into memberships (workspace_id, user_id, role) values (${id}, ${ownerId}, 'owner')`;
}
