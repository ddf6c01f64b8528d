/** Builders for the schemas of what the service answers and tells; what clients send is built with `members.ts`. Pure. */
import { type TObject, type TObjectOptions, type TProperties, type TSchema, Type } from "typebox";

/** An object of the wire with a name of its own: the description, and code generated from it, call it by that name. */
export function Shape<P extends TProperties>(name: string, members: P, options: TObjectOptions = {}): TObject<P> {
  return Type.Object(members, { ...options, title: name });
}

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A time as the service writes it. */
export const UtcTime = Type.String({ format: "date-time", description: "RFC 3339 UTC with milliseconds" });
