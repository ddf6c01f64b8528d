/** Inserts a workspace with its owner, at the first sign-in or by request, within the limit of its maker. */
import { type Refusal, refusal } from "../domain/errors.ts";
import type { Sql } from "./client.ts";

interface NewWorkspace {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
}

/** In a transaction. A refusal has written nothing. */
export async function insertWorkspace(
  sql: Sql,
  { id, name, ownerId }: NewWorkspace,
  madeMax: number,
): Promise<Refusal<"invalid_state"> | null> {
  // Holds the user's row to the end of the transaction: of many at once, each would count before any of the others is there.
  await sql`select 1 from users where id = ${ownerId} for update`;
  const [made] = await sql<{ count: number }[]>`
    select count(*)::int as count from workspaces where made_by = ${ownerId}`;
  if (made!.count >= madeMax)
    return refusal(
      "invalid_state",
      `you have made ${made!.count} workspaces, and the limit of a user is ${madeMax}; use one of them, or ask the operator of the deployment to raise WORKSPACES_PER_USER_MAX`,
    );
  await sql`insert into workspaces (id, name, made_by) values (${id}, ${name}, ${ownerId})`;
  await sql`insert into memberships (workspace_id, user_id, role) values (${id}, ${ownerId}, 'owner')`;
  return null;
}
