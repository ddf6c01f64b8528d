/** The description: the same set as the route table, OpenAPI 3.0.3 to the letter, and lint-clean with the kept rules. */
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EVENT_DATA } from "../../src/domain/events.ts";
import { VERB_TYPES } from "../../src/domain/verbs.ts";
import { lowerSchema } from "../../src/http/schema30.ts";
import { readDocument, section, tableRows } from "../support/documents.ts";
import { startTestPicket, type TestPicket } from "../support/picket.ts";

let service: TestPicket;
// biome-ignore lint/suspicious/noExplicitAny: a foreign document
let description: any;

beforeAll(async () => {
  service = await startTestPicket();
  description = (await service.request("GET", "/api/openapi.json")).body;
});
afterAll(() => service.stop());

test("[ED-30] the description is served bare, as OpenAPI 3.0.3, version 0.1.0", () => {
  expect(description.openapi).toBe("3.0.3");
  expect(description.info.version).toBe("0.1.0");
  expect(description.ok).toBeUndefined();
});

test("[ED-31] the operations of the description are exactly the routes", () => {
  const described = Object.entries<object>(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(service.picket.routes.map(({ method, path }) => `${method} ${path}`).sort());
});

test("[DO-20] the routes in docs/interface.md, and what each needs, are those of the service", () => {
  const written = tableRows(section(readDocument("docs/interface.md"), "## Routes"));
  expect(written.toSorted()).toEqual(
    service.picket.routes.map(({ method, path, access }) => [`\`${method} ${path}\``, access]).toSorted(),
  );
});

test("[DO-20] every route that a page names exists", () => {
  const routes = service.picket.routes.map(({ method, path }) => `${method} ${path}`);
  const named = ["docs/interface.md", "docs/architecture.md", ...globSync("docs/behaviour/*.md")].flatMap((page) =>
    [...readDocument(page).matchAll(/\b(?:GET|POST|DELETE) \/[\w{}/.-]*/g)].map(([route]) => route.replace(/\.$/, "")),
  );
  expect([...new Set(named.filter((route) => !routes.includes(route)))]).toEqual([]);
});

test("[ED-32] nothing in the description is newer than 3.0.3", () => {
  const faults: string[] = [];
  const walk = (value: unknown, path: string) => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      const at = `${path}/${key}`;
      const inMembers = path.endsWith("/properties");
      if (!inMembers && ["const", "prefixItems", "patternProperties", "$defs", "examples", "~kind"].includes(key))
        faults.push(at);
      if (key === "type" && !inMembers && (part === "null" || Array.isArray(part))) faults.push(at);
      if (/^exclusiveM/.test(key) && !inMembers && typeof part !== "boolean") faults.push(at);
      if (key === "items" && !inMembers && Array.isArray(part)) faults.push(at);
      walk(part, at);
    }
  };
  walk(description, "");
  expect(faults).toEqual([]);
});

test("[ED-33] the recommended rules of the linter find nothing", () => {
  const folder = mkdtempSync(join(tmpdir(), "picket-openapi-"));
  try {
    const file = join(folder, "openapi.json");
    writeFileSync(file, JSON.stringify(description));
    const home = dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json"));
    const args = [join(home, "bin/cli.js"), "lint", "--config", "redocly.yaml", "--format", "json", file];
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const printed = execFileSync(process.execPath, args, {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect(JSON.parse(printed).totals).toMatchObject({ errors: 0, warnings: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("[ED-34] every operation names the codes that the edge itself may answer; protected ones name their credentials", () => {
  for (const route of service.picket.routes) {
    const operation = description.paths[route.path][route.method.toLowerCase()];
    const isOpen = route.access === "open" || route.access === "ticket";
    expect(operation.security.length > 0, `${route.method} ${route.path}`).toBe(!isOpen);
    expect("401" in operation.responses || route.access === "open", `${route.method} ${route.path}`).toBe(true);
    expect(Object.keys(operation.responses)).toContain("500");
  }
});

test("[ED-90] the headers of an answer are described: the next page, Location of a repeat or refusal, Retry-After", () => {
  const headers = (method: string, path: string, status: number) =>
    Object.keys(description.paths[path][method].responses[status].headers ?? {});
  for (const path of ["/api/events", "/api/tasks", "/api/assets"])
    expect(headers("get", path, 200), path).toEqual(["Link", "X-Next-Cursor"]);
  expect(headers("get", "/api/picture", 200)).toEqual([]);
  for (const status of [200, 201]) expect(headers("post", "/api/assets", status)).toEqual(["Location"]);
  expect(headers("post", "/api/assets/{id}/command", 409)).toEqual(["Location"]);
  for (const methods of Object.values<object>(description.paths))
    for (const { responses } of Object.values(methods))
      for (const status of ["429", "503"])
        if (status in responses) expect(Object.keys(responses[status].headers)).toEqual(["Retry-After"]);
});

test("[ED-91] each write of an asset is described with exactly the codes that it can refuse with", () => {
  const codes = (method: string, path: string, status: number) =>
    description.paths[path][method].responses[status]?.description.match(/(?<=^`)\w+(?=`)/gm) ?? [];
  expect(codes("delete", "/api/assets/{id}", 409)).toEqual([]);
  expect(codes("post", "/api/assets/{id}/bind", 409).sort()).toEqual([
    "already_bound",
    "already_paired",
    "version_conflict",
  ]);
  expect(codes("post", "/api/assets/{id}/payloads", 409)).toEqual(["version_conflict"]);
  expect(codes("post", "/api/assets/{id}/bind", 400)).not.toContain("invalid_spec");
});

test("[ED-92] a member that a rule checks is described as what the rule asks for", () => {
  for (const path of ["/api/assets", "/api/assets/{id}", "/api/catalog/entries", "/api/catalog/entries/{id}"]) {
    const { schema } = description.paths[path].post.requestBody.content["application/json"];
    const body = schema.$ref === undefined ? schema : description.components.schemas[schema.$ref.split("/").at(-1)];
    expect(body.properties.spec.type, path).toBe("object");
  }
});

test("[TK-81] the description shows the params of every verb as the schemas that a command is checked with", () => {
  const { params } = description.components.schemas.AssetCommand.properties;
  const described = params.anyOf.map(({ $ref }: { $ref: string }) => $ref.split("/").at(-1));
  const forms = VERB_TYPES.flatMap(({ params_schema: schema }) => (schema.anyOf ?? [schema]) as { title: string }[]);
  expect(new Set(described)).toEqual(new Set(forms.map(({ title }) => title)));
  for (const form of forms) expect(description.components.schemas[form.title], form.title).toEqual(lowerSchema(form));
  expect(description.components.schemas.OrbitParams.properties.radius_m["x-unit"]).toBe("m");
});

test("[ED-93] a schema with a name is one component of that name, and generated code uses the name", () => {
  const names = Object.keys(description.components.schemas);
  for (const name of ["AssetView", "Asset", "Task", "Link", "Track", "Discovery", "EventEntry", "Picture", "Session"])
    expect(names).toContain(name);
  for (const name of ["RegisterAsset", "EditAsset", "AssetCommand", "CreateLink", "Observation", "SignalsBody"])
    expect(names).toContain(name);
  expect(names.filter((name) => /\d$|[^A-Za-z0-9]/.test(name))).toEqual([]);
  const { schema } = description.paths["/api/assets/{id}"].get.responses["200"].content["application/json"];
  expect(schema).toEqual({ $ref: "#/components/schemas/AssetViewAnswer" });
  const answer = description.components.schemas.AssetViewAnswer;
  expect(answer.properties.data).toEqual({ $ref: "#/components/schemas/AssetView" });
});

test("[ED-35] the explorer comes whole from the deployment, under a policy without inline script", async () => {
  const page = await service.request("GET", "/api/docs/");
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self';");
  const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((found) => found[1]!);
  expect(files.length).toBeGreaterThanOrEqual(4);
  for (const file of files) expect((await service.request("GET", `/api/docs/${file}`)).status, file).toBe(200);
  expect(page.text).not.toMatch(/https?:\/\//);
  expect((await service.request("GET", "/api/docs/initializer.js")).text).toContain("validatorUrl: null");
  expect((await service.request("GET", "/api/docs")).headers.get("location")).toBe("/api/docs/");
});

test("[ED-36] the description and the explorer's files are revalidated by ETag, not sent again", async () => {
  for (const path of ["/api/openapi.json", "/api/docs/", "/api/docs/swagger-ui.css"]) {
    const etag = (await service.request("GET", path)).headers.get("etag")!;
    const again = await service.request("GET", path, { headers: { "If-None-Match": etag } });
    expect([again.status, again.text], path).toEqual([304, ""]);
  }
});

test("[ED-102] the stream is described by the schema of one event: every name with its data", () => {
  const { schema } = description.paths["/api/stream"].get.responses[200].content["text/event-stream"];
  const branches: { properties: { event: { enum: string[] }; data: { $ref: string } } }[] = schema.anyOf;
  expect(branches.map(({ properties }) => properties.event.enum[0])).toEqual(Object.keys(EVENT_DATA));
  for (const { properties } of branches)
    expect(description.components.schemas).toHaveProperty(properties.data.$ref.replace("#/components/schemas/", ""));
  const { TrackUpdateEvent, Snapshot } = description.components.schemas;
  expect(TrackUpdateEvent.required).toEqual(["stream_gen", "prev_gen", "at", "env", "lat_ms", "track"]);
  expect(Snapshot.required).toEqual(["at", "env", "tracks", "generation"]);
});
