/** Shapes of workspaces and members (docs/interface.md#workspaces). */
import { Type } from "typebox";
import { ROLES } from "../../domain/access.ts";
import { maybe } from "../../domain/members.ts";
import { nullable, Shape, UtcTime } from "../../domain/shape.ts";
import { Name } from "../../domain/text.ts";

const closed = { additionalProperties: false };
const Hours = Type.Integer({ minimum: 1, maximum: 8784 });

/** The route checks that it is a point on the earth and refuses with a code of its own. */
const Origin = Type.Object(
  { lat: Type.Number(), lon: Type.Number(), alt_hae_m: Type.Optional(Type.Number({ minimum: -500, maximum: 9000 })) },
  closed,
);
const Retention = Type.Object(
  { obs_h: Hours, track_h: Hours, event_d: Type.Integer({ minimum: 1, maximum: 3660 }) },
  closed,
);

export const WorkspaceView = Shape("Workspace", {
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(ROLES),
  origin: nullable(Type.Object({ lat: Type.Number(), lon: Type.Number(), alt_hae_m: Type.Number() })),
  created_at: UtcTime,
  members_count: Type.Integer(),
  retention: Retention,
  limits: Type.Object({ tracks: Type.Integer(), streams: Type.Integer() }),
});
export const CreateWorkspace = Shape("CreateWorkspace", { name: Name }, closed);
export const EditWorkspace = Shape(
  "EditWorkspace",
  {
    name: Type.Optional(Name),
    origin: maybe(Origin),
    retention: Type.Optional(Retention),
  },
  closed,
);
export const Member = Shape("Member", {
  user_id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Type.Enum(ROLES),
  created_at: UtcTime,
});
export const AddMember = Shape(
  "AddMember",
  { email: Type.String({ minLength: 3, maxLength: 320 }), role: Type.Enum(ROLES) },
  closed,
);
export const EditMember = Shape("EditMember", { role: Type.Enum(ROLES) }, closed);
