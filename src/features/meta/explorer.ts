/**
 * The API explorer at /api/docs/: swagger-ui from its package, with a page and an initializer of our own, so that the
 * content security policy can forbid inline scripts. No request leaves the deployment. Files are read and compressed at
 * their first request.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { Type } from "typebox";
import { type RequestFacts, type Route, route } from "../../http/route.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Picket API</title>
<link rel="stylesheet" href="swagger-ui.css">
<link rel="icon" type="image/png" href="favicon-32x32.png">
</head>
<body>
<div id="explorer"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="initializer.js"></script>
</body>
</html>
`;

/** Without `validatorUrl: null` the page would send the description to a server of swagger-ui's makers. */
const INITIALIZER = `SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#explorer",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: true,
  docExpansion: "list",
});
`;

interface Kept {
  readonly contentType: string;
  readonly etag: string;
  readonly plain: Uint8Array;
  readonly packed: Uint8Array;
}

const PACKAGE_FILES: Readonly<Record<string, string>> = {
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

export function keep(plain: Uint8Array, contentType: string): Kept {
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  return { contentType, etag, plain, packed: gzipSync(plain) };
}

/** Answers 304, gzip or plain, as the client asks. The tag is a hash of the bytes, so a new build is seen at once. */
export function giveKept(kept: Kept, request: RequestFacts, more: Readonly<Record<string, string>> = {}) {
  const headers = { ...more, "Cache-Control": "no-cache", ETag: kept.etag, Vary: "Accept-Encoding" };
  const wanted = request.header("if-none-match");
  if (wanted !== "" && wanted.split(",").some((tag) => tag.trim().replace(/^W\//, "") === kept.etag))
    return { status: 304, headers } as const;
  const packs = /\bgzip\b/.test(request.header("accept-encoding"));
  return {
    status: 200,
    bytes: packs ? kept.packed : kept.plain,
    contentType: kept.contentType,
    headers: packs ? { ...headers, "Content-Encoding": "gzip" } : headers,
  } as const;
}

function createFiles(): (name: string) => Kept | null {
  const require = createRequire(import.meta.url);
  const files = new Map<string, Kept>([
    ["", keep(Buffer.from(PAGE), "text/html; charset=utf-8")],
    ["initializer.js", keep(Buffer.from(INITIALIZER), "text/javascript; charset=utf-8")],
  ]);
  return (name) => {
    const found = files.get(name);
    if (found !== undefined) return found;
    const contentType = Object.hasOwn(PACKAGE_FILES, name) ? PACKAGE_FILES[name] : undefined;
    if (contentType === undefined) return null;
    const file = keep(readFileSync(require.resolve(`swagger-ui-dist/${name}`)), contentType);
    files.set(name, file);
    return file;
  };
}

export function explorerRoutes(): Route[] {
  const fileOf = createFiles();
  const html = { bytes: true, contentType: "text/html; charset=utf-8" } as const;
  const page = { "Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer" };
  return [
    route({
      method: "GET",
      path: "/api/docs",
      access: "open",
      tag: "Service",
      summary: "To the explorer",
      reply: { 302: null },
      errors: [],
      handle: () => ({ status: 302, headers: { Location: "/api/docs/" } }),
    }),
    route({
      method: "GET",
      path: "/api/docs/",
      access: "open",
      tag: "Service",
      summary: "The browsable explorer of this description",
      reply: { 200: html, 304: null },
      errors: [],
      handle: ({ request }) => giveKept(fileOf("")!, request, page),
    }),
    route({
      method: "GET",
      path: "/api/docs/{file}",
      access: "open",
      tag: "Service",
      summary: "The explorer's files",
      params: Type.Object({ file: Type.String() }),
      reply: { 200: { bytes: true, contentType: "*/*" }, 304: null },
      errors: ["not_found"],
      handle({ params, request, refuse }) {
        const file = fileOf(params.file);
        return file === null ? refuse("not_found", "the explorer has no such file") : giveKept(file, request);
      },
    }),
  ];
}
