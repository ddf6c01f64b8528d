/**
 * One value per endpoint: registration, validation, types, OpenAPI and the contract tests all come from it.
 * Answering with an undeclared status, or refusing with an undeclared code, does not compile.
 */
import { type Static, type TObject, type TSchema, Type } from "typebox";
import type { Access, Principal, Right, Role } from "../domain/access.ts";
import type { ApiErrorCode, Refusal } from "../domain/errors.ts";
import type { RoomFace } from "../room/face.ts";
import type { Sink } from "../stream/sink.ts";

type Method = "GET" | "POST" | "DELETE";
export type Headers = Readonly<Record<string, string>>;

/** A body that the route parses itself: it gets the bytes as sent (unpacked, if it accepts gzip). */
export interface RawBody {
  readonly raw: true;
  readonly contentTypes: readonly string[];
  readonly bytesMax: number;
  readonly gzip: boolean;
  /** For the description only. */
  readonly schema: TSchema;
}

/** Schema of `data` for each status. null: no body (204). BytesReply: outside the envelope, with its own content type. */
type ReplySchemas = { readonly [status: number]: TSchema | null | BytesReply };
export interface BytesReply {
  readonly bytes: true;
  readonly contentType: string;
  readonly schema?: TSchema;
}

type Answer<R extends ReplySchemas> =
  | {
      [S in keyof R & number]: R[S] extends TSchema
        ? { readonly status: S; readonly data: Static<R[S]>; readonly headers?: Headers }
        : { readonly status: S; readonly headers?: Headers };
    }[keyof R & number]
  /** Bytes that are ready to send: outside the envelope, or an envelope that was encoded before. */
  | {
      readonly status: keyof R & number;
      readonly bytes: Uint8Array;
      readonly contentType: string;
      readonly headers?: Headers;
    }
  /** Server-sent events: the edge writes status and headers, then hands over the sink. */
  | { readonly status: 200; readonly stream: (sink: Sink) => void; readonly headers?: Headers };

export interface RequestFacts {
  /** Echoed as X-Request-Id and in every log line. */
  readonly id: string;
  readonly ip: string;
  readonly contentType: string;
  /** When the whole request had arrived, milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** Lower-case name; "" when absent. Only the headers that the edge keeps: see http/server.ts. */
  header(name: string): string;
}

/** Parameters of a path with one `{id}`. Unbounded: an id that is not well formed is a 404 like any unknown id. */
export const ById = Type.Object({ id: Type.String() });

type BodyOf<B> = B extends RawBody ? Uint8Array : B extends TSchema ? Static<B> : undefined;
type QueryOf<Q> = Q extends TSchema ? Static<Q> : Record<string, never>;

interface Context<P, Q, B, E extends ApiErrorCode, A extends Access> {
  readonly params: QueryOf<P>;
  readonly query: QueryOf<Q>;
  readonly body: BodyOf<B>;
  readonly request: RequestFacts;
  readonly principal: A extends "open" | "ticket"
    ? null
    : A extends "session"
      ? Extract<Principal, { kind: "user" }>
      : Principal;
  readonly role: A extends Right | "member" | "session_administer" ? Role : null;
  readonly room: A extends Right | "session_administer" ? RoomFace : null;
  /** Refuses the request. Throws, so that a transaction around it rolls back; the edge answers with the code's status. */
  readonly refuse: Refuse<E>;
}

/** Takes a code and its sentence, or a refusal that a rule returned; a code that is not declared does not compile. */
export interface Refuse<E extends ApiErrorCode> {
  (code: E, sentence: string, headers?: Headers): never;
  (refused: Refusal<E>): never;
}

interface RouteSpec<
  P extends TObject | undefined,
  Q extends TObject | undefined,
  B extends TSchema | RawBody | undefined,
  R extends ReplySchemas,
  E extends ApiErrorCode,
  A extends Access,
> {
  readonly method: Method;
  /** OpenAPI spelling: /api/tracks/{id} */
  readonly path: string;
  readonly access: A;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The body may be absent or null (logout). */
  readonly bodyOptional?: boolean;
  /** An API key must name the workspace as well (stream-ticket). */
  readonly workspaceHeader?: "required";
  readonly reply: R;
  /** Statuses besides 201 and 302, refusals included, whose answers name a resource in `Location`. */
  readonly locates?: readonly number[];
  /** Other content types that a 200 can have on request, as bytes outside the envelope; for the description only. */
  readonly otherForms?: Readonly<Record<string, TSchema>>;
  /** Codes that `handle` refuses with. Codes of the edge itself (credential, role, validation, size) are implied. */
  readonly errors: readonly E[];
  readonly handle: (context: Context<P, Q, B, E, A>) => Answer<R> | Promise<Answer<R>>;
}

/** A route with its types erased, for the edge, the description and the contract tests. */
// biome-ignore lint/suspicious/noExplicitAny: the erased form of the spec above
export type Route = RouteSpec<any, any, any, any, any, any>;

export function route<
  const R extends ReplySchemas,
  const E extends ApiErrorCode,
  const A extends Access,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | RawBody | undefined = undefined,
>(spec: RouteSpec<P, Q, B, R, E, A>): Route {
  return spec as unknown as Route;
}
