/** The service's own state: is it up, its health, its metrics, its description. */
import { Type } from "typebox";
import { HealthReport } from "../../domain/health.ts";
import { describeRoutes } from "../../http/openapi.ts";
import { type Route, route } from "../../http/route.ts";
import { explorerRoutes, giveKept, keep } from "./explorer.ts";

export interface MetaParts {
  readonly routes: () => readonly Route[];
  readonly health: () => HealthReport;
  readonly metrics: () => Promise<string>;
}

/** Made at the first request: the table of routes is complete only after this route was added to it. */
function descriptionRoute(routes: () => readonly Route[]): Route {
  let kept: ReturnType<typeof keep> | null = null;
  return route({
    method: "GET",
    path: "/api/openapi.json",
    access: "open",
    tag: "Service",
    summary: "This description, bare, outside the envelope",
    reply: {
      200: {
        bytes: true,
        contentType: "application/json",
        schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      },
      304: null,
    },
    errors: [],
    handle({ request }) {
      kept ??= keep(Buffer.from(JSON.stringify(describeRoutes(routes()))), "application/json");
      return giveKept(kept, request);
    },
  });
}

export function metaRoutes({ routes, health, metrics }: MetaParts): Route[] {
  return [
    descriptionRoute(routes),
    ...explorerRoutes(),
    route({
      method: "GET",
      path: "/",
      access: "open",
      tag: "Service",
      summary: "The service is up",
      reply: { 200: Type.Object({ status: Type.String(), version: Type.String(), docs: Type.String() }), 302: null },
      errors: [],
      handle({ request }) {
        if (request.header("accept").includes("text/html")) return { status: 302, headers: { Location: "/api/docs/" } };
        return { status: 200, data: { status: "up", version: health().version, docs: "/api/docs/" } };
      },
    }),
    route({
      method: "GET",
      path: "/health",
      access: "open",
      tag: "Service",
      summary: "Health, for load balancers and people",
      reply: { 200: HealthReport },
      errors: [],
      handle: () => ({ status: 200, data: health() }),
    }),
    route({
      method: "GET",
      path: "/api/health",
      access: "credential",
      tag: "Service",
      summary: "Health with the detail of each check",
      reply: { 200: HealthReport },
      errors: [],
      handle: () => ({ status: 200, data: health() }),
    }),
    route({
      method: "GET",
      path: "/api/metrics",
      access: "credential",
      tag: "Service",
      summary: "Counters in the Prometheus text format",
      reply: { 200: { bytes: true, contentType: "text/plain; version=0.0.4; charset=utf-8" } },
      errors: [],
      async handle() {
        return {
          status: 200,
          bytes: Buffer.from(await metrics()),
          contentType: "text/plain; version=0.0.4; charset=utf-8",
        };
      },
    }),
  ];
}
