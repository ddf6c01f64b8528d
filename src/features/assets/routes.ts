/**
 * The registry's routes (docs/interface.md#assets). `journeys.ts` does the work; the rules are in the pure files beside it.
 */
import { Type } from "typebox";
import { Asset, AssetView } from "../../domain/asset.ts";
import { isRefusal } from "../../domain/errors.ts";
import { Line } from "../../domain/text.ts";
import { ById, type Route, route } from "../../http/route.ts";
import { type AssetParts, bindAsset, editAsset, registerAsset, removeAsset, setPayloads } from "./journeys.ts";
import { readRoutes } from "./readRoutes.ts";
import { registrationOf } from "./registration.ts";
import { EditAsset, Payloads, RegisterAsset } from "./schema.ts";

const TAG = "Assets";

export function assetRoutes(parts: AssetParts): Route[] {
  const { clock } = parts;
  const write = { access: "registry", tag: TAG } as const;
  return [
    ...readRoutes(parts),
    route({
      ...write,
      method: "POST",
      path: "/api/assets",
      summary: "Register an asset; the same connection.address answers 200 with the same asset",
      body: RegisterAsset,
      reply: { 200: AssetView, 201: AssetView },
      locates: [200],
      errors: [
        "invalid_input",
        "invalid_spec",
        "invalid_position",
        "not_found",
        "domain_mismatch",
        "already_bound",
        "unavailable",
      ],
      async handle({ room, principal, body, refuse }) {
        const done = await registerAsset(parts, room, principal, body);
        if (isRefusal(done)) return refuse(done);
        const view = room.forces.viewOfAsset(done.asset, clock.nowMs());
        const data = { ...view, registration: registrationOf(done.asset.row) };
        const headers = { Location: `/api/assets/${data.id}` };
        return done.isNew ? { status: 201, data, headers } : { status: 200, data, headers };
      },
    }),
    route({
      ...write,
      method: "POST",
      path: "/api/assets/{id}",
      summary: "Edit an asset: writes only the members sent",
      params: ById,
      body: EditAsset,
      reply: { 200: Asset },
      errors: [
        "invalid_input",
        "invalid_spec",
        "invalid_position",
        "not_found",
        "domain_mismatch",
        "model_unknown",
        "carried_sensor",
        "spec_not_object",
        "version_conflict",
        "unavailable",
      ],
      async handle({ room, principal, params, body, refuse }) {
        const row = await editAsset(parts, room, principal, params.id, body);
        return isRefusal(row) ? refuse(row) : { status: 200, data: row };
      },
    }),
    route({
      ...write,
      method: "DELETE",
      path: "/api/assets/{id}",
      summary: "Remove an asset; its serial is an unknown contact again",
      params: ById,
      reply: { 204: null },
      errors: ["not_found", "unavailable"],
      async handle({ room, principal, params, refuse }) {
        const done = await removeAsset(parts, room, principal, params.id);
        return isRefusal(done) ? refuse(done) : { status: 204 };
      },
    }),
    route({
      ...write,
      method: "POST",
      path: "/api/assets/{id}/bind",
      summary: "Pair an asset with a discovered platform",
      params: ById,
      body: Type.Object({ key: Line(128) }),
      reply: { 200: Asset },
      errors: ["invalid_input", "not_found", "already_bound", "already_paired", "version_conflict", "unavailable"],
      async handle({ room, principal, params, body, refuse }) {
        const row = await bindAsset(parts, room, principal, params.id, body.key);
        return isRefusal(row) ? refuse(row) : { status: 200, data: row };
      },
    }),
    route({
      ...write,
      method: "POST",
      path: "/api/assets/{id}/payloads",
      summary: "What an asset carries: a list, [] for nothing, null for what its model carries",
      params: ById,
      body: Type.Object({ payloads: Payloads }),
      reply: { 200: Asset },
      errors: ["invalid_input", "not_found", "version_conflict", "unavailable"],
      async handle({ room, principal, params, body, refuse }) {
        const row = await setPayloads(parts, room, principal, params.id, body.payloads);
        return isRefusal(row) ? refuse(row) : { status: 200, data: row };
      },
    }),
  ];
}
