/** Links and discoveries (docs/interface.md#links, #discoveries). A discovery is adopted by POST /api/assets. */
import { Type } from "typebox";
import { isRefusal } from "../../domain/errors.ts";
import { Discovery, LinkView } from "../../domain/link.ts";
import { pageOf, WHOLE_QUERY } from "../../http/page.ts";
import { ById, type Route, route } from "../../http/route.ts";
import type { RoomFace } from "../../room/face.ts";
import { closeLink, ignoreDiscovery, type LinkParts, openLink } from "./journeys.ts";
import { CreateLink } from "./schema.ts";

const TAG = "Links";
const ByKey = Type.Object({ key: Type.String() });

function linkRoutesOnly(parts: LinkParts): Route[] {
  const { host } = parts;
  return [
    route({
      method: "GET",
      path: "/api/links",
      access: "read",
      tag: TAG,
      summary: "The workspace's links",
      query: Type.Object(WHOLE_QUERY),
      reply: { 200: Type.Array(LinkView) },
      errors: ["invalid_input"],
      handle({ room, query, refuse }) {
        const page = pageOf("/api/links", query, host.views(room.id), (link) => `${link.created_at} ${link.id}`);
        return isRefusal(page) ? refuse(page) : { status: 200, ...page };
      },
    }),
    route({
      method: "POST",
      path: "/api/links",
      access: "registry",
      tag: TAG,
      summary: "Open a link",
      body: CreateLink,
      reply: { 201: LinkView },
      errors: ["invalid_input", "not_found", "port_in_use", "not_configured", "feature_absent", "unavailable"],
      async handle({ room, principal, body, refuse }) {
        const link = await openLink(parts, room, principal, body);
        if (isRefusal(link)) return refuse(link);
        return { status: 201, data: link, headers: { Location: `/api/links/${link.id}` } };
      },
    }),
    route({
      method: "GET",
      path: "/api/links/{id}",
      access: "read",
      tag: TAG,
      summary: "One link",
      params: ById,
      reply: { 200: LinkView },
      errors: ["not_found"],
      handle({ room, params, refuse }) {
        const link = host.views(room.id).find(({ id }) => id === params.id);
        return link === undefined
          ? refuse("not_found", `no link ${params.id} in this workspace`)
          : { status: 200, data: link };
      },
    }),
    route({
      method: "DELETE",
      path: "/api/links/{id}",
      access: "registry",
      tag: TAG,
      summary: "Close a link",
      params: ById,
      reply: { 204: null },
      errors: ["not_found", "invalid_state", "unavailable"],
      async handle({ room, principal, params, refuse }) {
        const done = await closeLink(parts, room, principal, params.id);
        return isRefusal(done) ? refuse(done) : { status: 204 };
      },
    }),
  ];
}

export function linkRoutes(parts: LinkParts): Route[] {
  const { clock } = parts;
  const found = (room: RoomFace) => room.forces.discoveries(clock.nowMs());
  return [
    ...linkRoutesOnly(parts),
    route({
      method: "GET",
      path: "/api/discoveries",
      access: "read",
      tag: TAG,
      summary: "What was discovered on links: adopted, ignored, or neither yet",
      query: Type.Object(WHOLE_QUERY),
      reply: { 200: Type.Array(Discovery) },
      errors: ["invalid_input"],
      handle({ room, query, refuse }) {
        const page = pageOf("/api/discoveries", query, found(room), (one) => `${one.first_heard_at} ${one.key}`);
        return isRefusal(page) ? refuse(page) : { status: 200, ...page };
      },
    }),
    route({
      method: "GET",
      path: "/api/discoveries/{key}",
      access: "read",
      tag: TAG,
      summary: "One discovery",
      params: ByKey,
      reply: { 200: Discovery },
      errors: ["not_found"],
      handle({ room, params, refuse }) {
        const one = found(room).find(({ key }) => key === params.key);
        return one === undefined
          ? refuse("not_found", `nothing was heard under ${params.key} in this workspace`)
          : { status: 200, data: one };
      },
    }),
    route({
      method: "POST",
      path: "/api/discoveries/{key}/ignore",
      access: "registry",
      tag: TAG,
      summary: "Stop offering a discovery for adoption",
      params: ByKey,
      reply: { 200: Discovery },
      errors: ["not_found", "invalid_state", "unavailable"],
      async handle({ room, principal, params, refuse }) {
        const one = found(room).find(({ key }) => key === params.key);
        if (one === undefined) return refuse("not_found", `nothing was heard under ${params.key} in this workspace`);
        if (one.state === "adopted") return refuse("invalid_state", `${params.key} is an asset already`);
        await ignoreDiscovery(parts, room, principal, params.key);
        return { status: 200, data: { ...one, state: "ignored" as const } };
      },
    }),
  ];
}
