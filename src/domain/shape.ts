/** Objects of the wire that have a name of their own: the description and what is generated from it call them by it. Pure. */
import { type TObject, type TObjectOptions, type TProperties, Type } from "typebox";

export function Shape<P extends TProperties>(name: string, members: P, options: TObjectOptions = {}): TObject<P> {
  return Type.Object(members, { ...options, title: name });
}
