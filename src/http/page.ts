/**
 * Paging of lists (docs/interface.md#lists): `data` stays an array, the next page is named in `Link` and `X-Next-Cursor`.
 * A cursor is opaque to clients; here it is whatever short text the slice gave out, in base64url.
 */
import { Type } from "typebox";
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from "../limits.ts";
import type { Headers } from "./route.ts";

/** Query members of every paged list. */
export const PAGE_QUERY = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIST_LIMIT_MAX, default: LIST_LIMIT_DEFAULT })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: "from X-Next-Cursor" })),
  order: Type.Optional(Type.Enum(["asc", "desc"] as const, { default: "asc" })),
};

type Order = "asc" | "desc" | undefined;
/** Before the cursor of a list that goes down: read the other way it would give out again what its reader has. */
const DOWN = "-";
export const WRONG_CURSOR =
  "cursor is not one that this list gave out in this order; send the order that it was given in";

/** null: not one of ours, or of a list in the other order. */
export function readCursor(cursor: string, order: Order): string | null {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  if (Buffer.from(text).toString("base64url") !== cursor) return null;
  if (text.startsWith(DOWN) !== (order === "desc")) return null;
  return order === "desc" ? text.slice(DOWN.length) : text;
}

type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Empty on the last page. `next` is what `readCursor` will give back. */
export function pageHeaders(path: string, query: QueryValues, next: string | null): Headers {
  if (next === null) return {};
  const cursor = Buffer.from((query.order === "desc" ? DOWN : "") + next).toString("base64url");
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor }))
    if (value !== undefined) parameters.set(name, String(value));
  return { Link: `<${path}?${parameters}>; rel="next"`, "X-Next-Cursor": cursor };
}
