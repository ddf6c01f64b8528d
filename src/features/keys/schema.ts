/** Shapes of API keys (contract §13). */
import { Type } from "typebox";
import { ROLES } from "../../domain/access.ts";
import { Name } from "../../domain/text.ts";

const Time = Type.String({ format: "date-time" });
const nullableTime = Type.Union([Time, Type.Null()]);

export const KeyListItem = Type.Object({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  role: Type.Enum(ROLES),
  created_at: Time,
  created_by: Type.String(),
  last_used_at: nullableTime,
  expires_at: nullableTime,
  revoked_at: nullableTime,
});

export const CreateKey = Type.Object(
  {
    name: Name,
    role: Type.Optional(Type.Enum(ROLES)),
    expires_at: Type.Optional(Type.Union([Time, Type.Null()])),
  },
  { additionalProperties: false },
);

export const CreatedKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  secret: Type.String({ description: "shown once; only its hash is kept" }),
  role: Type.Enum(ROLES),
  created_at: Time,
  expires_at: nullableTime,
});
