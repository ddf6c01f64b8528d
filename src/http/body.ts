/**
 * Request bodies: what is refused before a byte is read, how bytes are gathered under a bound, and how they become what
 * a handler gets. Knows the socket only as a source of chunks.
 */

import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type Refusal, refusal } from "../domain/errors.ts";
import { BODY_BYTES_MAX, GZIP_RATIO_MAX, NESTING_DEPTH_MAX } from "../limits.ts";
import { type Parsed, parseJson } from "./json.ts";
import type { CompiledBody } from "./router.ts";

const inflate = promisify(gunzip);
const NOTHING = new Uint8Array(0);
const CHUNKED_START_BYTES = 16 << 10;

/** How the body is framed, from the headers. */
export interface Framing {
  /** Content-Length; -1 when the body is chunked, 0 when there is none. */
  readonly length: number;
  readonly encoding: string;
}

export const NO_BODY: Framing = Object.freeze({ length: 0, encoding: "" });

/**
 * How the body of a request is framed; null: ambiguous. The addon takes the first of two Content-Lengths, and any
 * Transfer-Encoding that ends in "chunked". A proxy in front may read the same bytes in another way (request smuggling), so
 * both are refused and the connection is closed.
 */
export function readFraming(req: HttpRequest): Framing | null {
  const transfer = req.getHeader("transfer-encoding");
  const declared = req.getHeader("content-length");
  if (transfer === "" && declared === "") return NO_BODY;
  let lengths = 0;
  let transfers = 0;
  req.forEach((name) => {
    if (name === "content-length") lengths++;
    else if (name === "transfer-encoding") transfers++;
  });
  if (lengths + transfers > 1) return null;
  const encoding = req.getHeader("content-encoding").trim().toLowerCase();
  if (transfer !== "") return transfer.trim().toLowerCase() === "chunked" ? { length: -1, encoding } : null;
  return /^\d{1,15}$/.test(declared) ? { length: Number(declared), encoding } : null;
}

export function tooLarge(bytesMax: number): Refusal {
  return refusal("payload_too_large", `the body must have at most ${bytesMax} bytes`);
}

/** Checks that need none of the body's bytes: size, type and encoding. */
export function whyNotRead(body: CompiledBody, framing: Framing, contentType: string): Refusal | null {
  if (framing.length === 0) return null;
  if (framing.length > body.bytesMax) return tooLarge(body.bytesMax);
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  if (!body.contentTypes.includes(type)) {
    const sent = type === "" ? "no Content-Type was sent" : `not ${JSON.stringify(type.slice(0, 80))}`;
    return refusal("unsupported_media", `Content-Type must be ${body.contentTypes.join(" or ")}; ${sent}`);
  }
  const charset = parameters
    .find((part) => part.startsWith("charset="))
    ?.slice(8)
    .replaceAll('"', "");
  if (charset !== undefined && charset !== "utf-8" && charset !== "utf8")
    return refusal("unsupported_media", "the charset must be utf-8");
  if (framing.encoding === "" || framing.encoding === "identity") return null;
  if (framing.encoding === "gzip" && body.gzip) return null;
  return refusal(
    "unsupported_media",
    `Content-Encoding ${body.gzip ? "must be gzip or absent" : "is not accepted here"}`,
  );
}

/** Gathers one body into one buffer. Listens from its construction on: a chunk that arrives without a listener is lost. */
export class BodyCollector {
  readonly #bytesMax: number;
  readonly #declared: number;
  #buffer: Uint8Array = NOTHING;
  #length = 0;
  #whole: Uint8Array | "too_large" | null = null;
  #wanted: ((whole: Uint8Array | "too_large") => void) | null = null;

  constructor(res: HttpResponse, declared: number, bytesMax: number) {
    this.#declared = declared;
    this.#bytesMax = bytesMax;
    res.onData((chunk, isLast) => this.#take(new Uint8Array(chunk), isLast));
  }

  /** `next` runs at once when the body is there, else in the socket's callback that brings the last chunk. */
  whenWhole(next: (whole: Uint8Array | "too_large") => void): void {
    if (this.#whole === null) this.#wanted = next;
    else next(this.#whole);
  }

  #take(chunk: Uint8Array, isLast: boolean) {
    if (this.#whole !== null) return;
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) return this.#finish("too_large");
    if (length > this.#buffer.length) this.#grow(length, isLast);
    // The addon reuses the chunk's memory when this callback returns.
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
    if (isLast) this.#finish(this.#buffer.subarray(0, length));
  }

  #grow(length: number, isLast: boolean): void {
    const room = isLast ? length : this.#declared > 0 ? this.#declared : Math.max(length * 2, CHUNKED_START_BYTES);
    const larger = Buffer.allocUnsafe(Math.min(Math.max(room, length), this.#bytesMax));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }

  #finish(whole: Uint8Array | "too_large"): void {
    this.#whole = whole;
    if (whole === "too_large") this.#buffer = NOTHING;
    this.#wanted?.(whole);
  }
}

/** The decompressed bytes, or a refusal. The limit is on the output and on its ratio, so a decompression bomb stops there. */
export async function decompress(bytes: Uint8Array, limit: number): Promise<Uint8Array | Refusal> {
  const bytesMax = Math.min(limit, Math.max(BODY_BYTES_MAX, GZIP_RATIO_MAX * bytes.length));
  try {
    return await inflate(bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === "ERR_BUFFER_TOO_LARGE")
      return refusal("payload_too_large", `the decompressed body must have at most ${bytesMax} bytes`);
    return refusal("invalid_input", "the body is not valid gzip");
  }
}

/** The value that the handler gets: the bytes of a raw body, or the checked value of a JSON one. */
export function interpretBody(body: CompiledBody, bytes: Uint8Array): Parsed {
  if (body.check === null) return { refusal: null, value: bytes };
  if (bytes.length === 0)
    return body.optional
      ? { refusal: null, value: body.absent }
      : { refusal: refusal("invalid_input", "the body is missing; send a JSON object") };
  const parsed = parseJson(bytes, NESTING_DEPTH_MAX);
  if (parsed.refusal !== null) return parsed;
  if (parsed.value === null && body.optional) return { refusal: null, value: body.absent };
  if (body.check.check(parsed.value)) return parsed;
  return { refusal: refusal("invalid_input", body.check.explain(parsed.value)) };
}
