/** Shapes of sign-in (docs/interface.md#sign-in). */
import { Type } from "typebox";
import { ROLES } from "../../domain/access.ts";
import { nullable, Shape, UtcTime } from "../../domain/shape.ts";
import { Line } from "../../domain/text.ts";

const closed = { additionalProperties: false };
const RefreshToken = Type.String({ minLength: 1, maxLength: 200 });
const Cookie = Type.Optional(
  Type.Boolean({ description: "true: the refresh token is kept in an HttpOnly cookie of our origin, not in the body" }),
);
/** Longer than any address (RFC 5321: 254): what is wrong with a value is said by the route, not by its length. */
const Email = Type.String({ minLength: 1, maxLength: 320 });

export const Membership = Shape("Membership", { id: Type.String(), name: Type.String(), role: Type.Enum(ROLES) });

export const Session = Shape("Session", {
  session_token: Type.String(),
  expires_at: UtcTime,
  refresh_token: Type.Optional(Type.String({ description: "absent where it went into the cookie" })),
  refresh_expires_at: UtcTime,
  user: Type.Object({ id: Type.String(), email: Type.String(), name: Type.String() }),
  workspaces: Type.Array(Membership),
});

export const LoginRequest = Shape("LoginRequest", { email: Email }, closed);
export const LoginSent = Shape("LoginSent", {
  sent: Type.Literal(true),
  expires_at: UtcTime,
  code: Type.Optional(Type.String({ description: "only in DEV_MODE" })),
});
export const VerifyRequest = Shape(
  "VerifyRequest",
  { email: Email, code: Type.String({ maxLength: 64 }), cookie: Cookie },
  closed,
);
export const RefreshRequest = Shape(
  "RefreshRequest",
  { refresh_token: Type.Optional(RefreshToken), cookie: Cookie },
  closed,
);
export const LogoutRequest = Shape(
  "LogoutRequest",
  { refresh_token: Type.Optional(RefreshToken), cookie: Cookie },
  closed,
);
export const LoggedOut = Shape("LoggedOut", { revoked: Type.Integer() });
export const DevLoginRequest = Shape(
  "DevLoginRequest",
  {
    email: Email,
    workspace_name: Type.Optional(Line(200)),
    cookie: Cookie,
  },
  closed,
);
export const Me = Shape("Me", {
  user: nullable(Type.Object({ id: Type.String(), email: Type.String(), name: Type.String() })),
  key: nullable(Type.Object({ id: Type.String(), name: Type.String() })),
  workspaces: Type.Array(Membership),
});
