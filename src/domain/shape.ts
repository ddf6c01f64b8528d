/** Builders for the schemas of answers and events. For what clients send see `members.ts`. Pure. */
import { type TObject, type TObjectOptions, type TProperties, type TSchema, Type } from "typebox";

/** An object with a name, which the API description and the code generated from it use. */
export function Shape<P extends TProperties>(name: string, members: P, options: TObjectOptions = {}): TObject<P> {
  return Type.Object(members, { ...options, title: name });
}

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** A time as the service writes it. */
export const UtcTime = Type.String({ format: "date-time", description: "RFC 3339 UTC with milliseconds" });
