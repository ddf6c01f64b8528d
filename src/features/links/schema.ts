/** The body of POST /api/links (docs/interface.md#links). Settings of one protocol only are under `options`. */
import { type Static, Type } from "typebox";
import { LINK_DIRECTIONS, LINK_ROLES, LINK_TRANSPORTS } from "../../domain/link.ts";
import { maybe } from "../../domain/members.ts";
import { Shape } from "../../domain/shape.ts";
import { Name } from "../../domain/text.ts";

export const CreateLink = Shape("CreateLink", {
  protocol: Type.String({ minLength: 1, maxLength: 64, description: "protocol family key" }),
  name: Type.Optional(Name),
  transport: maybe(Type.Enum(LINK_TRANSPORTS)),
  role: maybe(Type.Enum(LINK_ROLES, { description: "listen on the address, or connect to it" })),
  direction: maybe(Type.Enum(LINK_DIRECTIONS)),
  address: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, pattern: "^\\S+$", description: "host, multicast group or URL" }),
  ),
  port: maybe(Type.Integer({ minimum: 0, maximum: 65_535 })),
  options: maybe(Type.Record(Type.String(), Type.Unknown())),
  asset_id: maybe(
    Type.String({
      maxLength: 64,
      description: "the asset to which the link belongs; it is closed when the asset is removed",
    }),
  ),
  secret: maybe(Type.String({ minLength: 1, maxLength: 500, description: "never returned by any route" })),
});
export type CreateLink = Static<typeof CreateLink>;
