/** The body of POST /api/links (docs/interface.md#links). Settings of one protocol only are under `options`. */
import { type Static, type TSchema, Type } from "typebox";
import { LINK_DIRECTIONS, LINK_ROLES, LINK_TRANSPORTS } from "../../domain/link.ts";
import { Shape } from "../../domain/shape.ts";
import { Name } from "../../domain/text.ts";

const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

export const CreateLink = Shape("CreateLink", {
  protocol: Type.String({ minLength: 1, maxLength: 64, description: "protocol family key" }),
  name: Type.Optional(Name),
  transport: orNull(Type.Enum(LINK_TRANSPORTS)),
  role: orNull(Type.Enum(LINK_ROLES, { description: "listen on the address, or connect to it" })),
  direction: orNull(Type.Enum(LINK_DIRECTIONS)),
  address: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, pattern: "^\\S+$", description: "host, multicast group or URL" }),
  ),
  port: Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.Null()])),
  options: orNull(Type.Record(Type.String(), Type.Unknown())),
  asset_id: orNull(
    Type.String({
      maxLength: 64,
      description: "the asset to which the link belongs; it is closed when the asset is removed",
    }),
  ),
  secret: orNull(Type.String({ minLength: 1, maxLength: 500, description: "never returned by any route" })),
});
export type CreateLink = Static<typeof CreateLink>;
