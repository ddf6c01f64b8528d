/** Shapes of API keys (docs/interface.md#sign-in). */
import { Type } from "typebox";
import { ROLES } from "../../domain/access.ts";
import { maybe } from "../../domain/members.ts";
import { nullable, Shape, UtcTime } from "../../domain/shape.ts";
import { Name } from "../../domain/text.ts";
import type { KeyRow } from "./store.ts";

const nullableTime = nullable(UtcTime);

export const KeyListItem = Shape("ApiKey", {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  role: Type.Enum(ROLES),
  created_at: UtcTime,
  created_by: Type.String(),
  last_used_at: nullableTime,
  expires_at: nullableTime,
  revoked_at: nullableTime,
});

export const CreateKey = Shape(
  "CreateApiKey",
  {
    name: Name,
    role: Type.Optional(Type.Enum(ROLES)),
    expires_at: maybe(Type.String({ format: "date-time" })),
  },
  { additionalProperties: false },
);

export const CreatedKey = Shape("CreatedApiKey", {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  secret: Type.String({ description: "shown once; only its hash is kept" }),
  role: Type.Enum(ROLES),
  created_at: UtcTime,
  expires_at: nullableTime,
});

export const iso = (at: Date | null) => at?.toISOString() ?? null;

/** A row as the list shows it. */
export function toItem(row: KeyRow) {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    last_used_at: iso(row.last_used_at),
    expires_at: iso(row.expires_at),
    revoked_at: iso(row.revoked_at),
  };
}
