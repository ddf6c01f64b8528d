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

/** A body that the route parses itself: the bytes are handed over as they came (after gzip, if the route takes it). */
export interface RawBody {
  readonly raw: true;
  readonly contentTypes: readonly string[];
  readonly bytesMax: number;
  readonly gzip: boolean;
  /** For the description only. */
  readonly schema: TSchema;
}

/** Status to schema of `data`. null: no body (204). "bytes": outside the envelope, with a content type of its own. */
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
  /** Ready bytes: either outside the envelope, or an envelope that was encoded before and kept. */
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
  /** When the edge had the whole request, milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** Lower-case name; "" when absent. Only the headers that the edge keeps: see http/server.ts. */
  header(name: string): string;
}

/** Parameters of a path with one `{id}`. Without a bound: an id that cannot be one is as unknown as any other. */
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

/** Takes a code with its sentence, or a refusal as a rule returned it; other codes than the declared do not compile. */
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
  /** An API key, too, must name the workspace (stream-ticket). */
  readonly workspaceHeader?: "required";
  readonly reply: R;
  /** Statuses besides 201 and 302 whose answers name a resource in `Location`; refusals' too. */
  readonly locates?: readonly number[];
  /** Other content types that a 200 can have on request, as bytes outside the envelope; for the description only. */
  readonly otherForms?: Readonly<Record<string, TSchema>>;
  /** Codes that `handle` refuses with. Those of the edge itself (credential, role, validation, size) are implied. */
  readonly errors: readonly E[];
  readonly handle: (context: Context<P, Q, B, E, A>) => Answer<R> | Promise<Answer<R>>;
}

/** A route with its types erased, as the edge, the description and the contract tests iterate it. */
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
