/**
 * Pages of lists (docs/interface.md#lists): `data` stays an array, the next page is named in `Link` and `X-Next-Cursor`.
 * A cursor is opaque to clients; here it is the sort key of the last item that was given out, in base64url.
 */
import { hash } from "node:crypto";
import { Type } from "typebox";
import { type Refusal, refusal } from "../domain/errors.ts";
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX } from "../limits.ts";
import type { Headers } from "./route.ts";

const LIMIT = { minimum: 1, maximum: LIST_LIMIT_MAX };
/** Longer than the longest key: a catalogue name of full length, four bytes a character. */
const CURSOR_LENGTH_MAX = 1000;
const cursor = Type.Optional(Type.String({ maxLength: CURSOR_LENGTH_MAX, description: "from X-Next-Cursor" }));

/** Query members of a list that is ordered by time and read from the database a page at a time. */
export const PAGE_QUERY = {
  limit: Type.Optional(Type.Integer({ ...LIMIT, default: LIST_LIMIT_DEFAULT })),
  cursor,
  order: Type.Optional(Type.Enum(["asc", "desc"] as const, { default: "asc" })),
};

/** Query members of a list that is whole in memory, and answered whole where no `limit` is given. */
export const WHOLE_QUERY = {
  limit: Type.Optional(Type.Integer({ ...LIMIT, description: "absent: the whole list" })),
  cursor,
};

type Order = "asc" | "desc" | undefined;
/** Marks a cursor of descending order: used in ascending order it would return the items already read. */
const DOWN = "-";
export const WRONG_CURSOR =
  "cursor is not one that this list gave out in this order; send the order that it was given in";

function readText(cursor: string): string | null {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  return Buffer.from(text).toString("base64url") === cursor ? text : null;
}

/** null: the cursor is not one of ours, or belongs to the other order. */
export function readCursor(cursor: string, order: Order): string | null {
  const text = readText(cursor);
  if (text === null || text.startsWith(DOWN) !== (order === "desc")) return null;
  return order === "desc" ? text.slice(DOWN.length) : text;
}

type QueryValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

interface Page<T> {
  readonly data: T[];
  readonly headers: Headers;
}

/** Names the next page; empty on the last one, where `key` is null. */
function headersOf(path: string, query: QueryValues, key: string | null): Headers {
  if (key === null) return {};
  const cursor = Buffer.from(key).toString("base64url");
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor }))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) parameters.append(name, String(one));
  return { Link: `<${path}?${parameters}>; rel="next"`, "X-Next-Cursor": cursor };
}

/**
 * The page of a list of which the database was asked for `limit` + 1 items: a surplus item means that there is a next page.
 * `keyOf` gives the text that `readCursor` returns for the next page.
 */
export function pageOfFound<T>(
  path: string,
  query: QueryValues,
  found: readonly T[],
  keyOf: (item: T) => string,
): Page<T> {
  const limit = Number(query.limit ?? LIST_LIMIT_DEFAULT);
  const data = found.slice(0, limit);
  const last = found.length > limit ? data.at(-1) : undefined;
  const key = last === undefined ? null : (query.order === "desc" ? DOWN : "") + keyOf(last);
  return { data, headers: headersOf(path, query, key) };
}

/** The beginning of every cursor of a list in memory, so that a cursor of another list is refused and not misread. */
function tagOf(path: string): string {
  return `${hash("sha256", path, "base64url").slice(0, 6)}:`;
}

/**
 * The page of a list in memory that a query asks for. `keyOf` gives the text that the list is ordered by, which no two
 * items share: an item that comes or goes between two pages moves no other into or out of them.
 */
export function pageOf<T>(
  path: string,
  query: QueryValues & { readonly limit?: number; readonly cursor?: string },
  items: Iterable<T>,
  keyOf: (item: T) => string,
): Page<T> | Refusal<"invalid_input"> {
  const tag = tagOf(path);
  const given = query.cursor === undefined ? tag : readText(query.cursor);
  if (!given?.startsWith(tag)) return refusal("invalid_input", "cursor is not one that this list gave out");
  const after = given.slice(tag.length);
  const keyed = Array.from(items, (item) => ({ key: keyOf(item), item }))
    .filter(({ key }) => key > after)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  const page = keyed.slice(0, query.limit ?? keyed.length);
  const key = page.length < keyed.length ? tag + page.at(-1)!.key : null;
  return { data: page.map(({ item }) => item), headers: headersOf(path, query, key) };
}
