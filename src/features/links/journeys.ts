/**
 * Opens and closes links for an operator. The address is bound first, because that can be refused; then the row is written.
 * If the row cannot be written the link is closed again.
 */
import type { Database } from "../../db/client.ts";
import { appendEvents } from "../../db/eventLog.ts";
import { actorOf, type Principal } from "../../domain/access.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { auditDraft } from "../../domain/eventLog.ts";
import { whyNotFree } from "../../domain/freeObject.ts";
import type { LinkView } from "../../domain/link.ts";
import type { Clock } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { LINKS_PER_WORKSPACE_MAX } from "../../limits.ts";
import { isSystemError, type LinkSettings, PortInUseError } from "../../links/adapter.ts";
import type { LinkHost } from "../../links/host.ts";
import { linkViewOf } from "../../links/views.ts";
import type { RoomFace } from "../../room/face.ts";
import type { CreateLink } from "./schema.ts";
import { seal, unseal } from "./seal.ts";
import { deleteLink, insertIgnoredKey, insertLink, type LinkRow } from "./store.ts";

export interface LinkParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly host: LinkHost;
  /** Encrypts credentials; null: no credential can be stored. */
  readonly secretKey: string | null;
  /** Direction of a protocol family of the catalogue, whether or not this build has an adapter; null: no such family. */
  readonly directionOf: (protocol: string) => LinkSettings["direction"] | null;
}

const SECRET_PREFIX_LENGTH = 4;
/** The beginning of a shorter secret would reveal too much of it. */
const SECRET_SHOWN_FROM_LENGTH = 12;

type NoLink = Refusal<"feature_absent" | "invalid_input" | "not_configured" | "not_found">;

function whyNotLink({ host, secretKey, directionOf }: LinkParts, room: RoomFace, body: CreateLink): NoLink | null {
  const adapter = host.adapter(body.protocol);
  if (adapter === undefined)
    return directionOf(body.protocol) !== null
      ? refusal("feature_absent", `this build does not speak ${body.protocol} yet`)
      : refusal("invalid_input", `there is no protocol family ${body.protocol}`);
  if (body.transport != null && !adapter.transports.includes(body.transport))
    return refusal(
      "invalid_input",
      `${body.protocol} goes over ${adapter.transports.join(" or ")}, not ${body.transport}`,
    );
  const goes = directionOf(body.protocol) ?? "both";
  if (body.direction != null && goes !== "both" && body.direction !== goes)
    return refusal("invalid_input", `${body.protocol} only goes ${goes}, not ${body.direction}`);
  if (body.secret != null && secretKey === null)
    return refusal("not_configured", "link credentials need SECRET_KEY to be set");
  const free = body.options == null ? null : whyNotFree(body.options, "options");
  if (free !== null) return refusal("invalid_input", free);
  if (body.asset_id != null && room.forces.fleet.get(body.asset_id) === undefined)
    return refusal("not_found", `no asset ${body.asset_id} in this workspace`);
  if (host.linksOf(room.id).length >= LINKS_PER_WORKSPACE_MAX) return tooManyLinks();
  return null;
}

function tooManyLinks() {
  return refusal("invalid_input", `this workspace already has its limit of ${LINKS_PER_WORKSPACE_MAX} links`);
}

function settingsOf({ host, directionOf }: LinkParts, linkId: string, body: CreateLink): LinkSettings {
  const adapter = host.adapter(body.protocol)!;
  return {
    linkId,
    name: body.name ?? body.protocol,
    protocol: body.protocol,
    transport: body.transport ?? adapter.defaults.transport,
    role: body.role ?? adapter.defaults.role,
    direction: body.direction ?? directionOf(body.protocol) ?? "both",
    address: body.address ?? "127.0.0.1",
    port: body.port === undefined ? adapter.defaults.port : body.port,
    options: body.options ?? {},
    secret: body.secret ?? null,
  };
}

function prefixOf(secret: string): string {
  return secret.length < SECRET_SHOWN_FROM_LENGTH ? "" : secret.slice(0, SECRET_PREFIX_LENGTH);
}

/** Binds the address outside of the room's writes, so that a slow DNS lookup does not delay an abort. */
export async function openLink(
  parts: LinkParts,
  room: RoomFace,
  principal: Principal,
  body: CreateLink,
): Promise<LinkView | NoLink | Refusal<"port_in_use">> {
  const { clock, host } = parts;
  const nowMs = clock.nowMs();
  const wrong = whyNotLink(parts, room, body);
  if (wrong !== null) return wrong;
  const settings = settingsOf(parts, newId("lnk", nowMs), body);
  const why = host.adapter(body.protocol)!.refuse(settings);
  if (why !== null) return refusal("invalid_input", why);
  const secretPrefix = settings.secret === null ? null : prefixOf(settings.secret);
  const origin = { assetId: body.asset_id ?? null, secretPrefix, createdAtMs: nowMs };
  try {
    await host.open(room.id, settings, origin);
  } catch (fault) {
    if (fault instanceof PortInUseError) return refusal("port_in_use", fault.message);
    if (isSystemError(fault))
      return refusal("invalid_input", `${settings.address}:${settings.port} cannot be opened here: ${fault.code}`);
    throw fault;
  }
  try {
    const refused = await room.serially(() => writeLink(parts, room, principal, settings, origin));
    if (refused === null) return linkViewOf(host.get(room.id, settings.linkId)!, nowMs);
    await host.close(settings.linkId);
    return refused;
  } catch (fault) {
    await host.close(settings.linkId);
    throw fault;
  }
}

async function writeLink(
  { db, host, secretKey }: LinkParts,
  room: RoomFace,
  principal: Principal,
  settings: LinkSettings,
  { assetId, secretPrefix, createdAtMs }: { assetId: string | null; secretPrefix: string | null; createdAtMs: number },
): Promise<Refusal<"not_found" | "invalid_input"> | null> {
  // The asset may have been removed while the address was bound.
  if (assetId !== null && room.forces.fleet.get(assetId) === undefined)
    return refusal("not_found", `no asset ${assetId} in this workspace`);
  if (host.get(room.id, settings.linkId) === undefined)
    return refusal("not_found", `the link ${settings.name} was deleted while it was opened`);
  if (host.linksOf(room.id).length > LINKS_PER_WORKSPACE_MAX) return tooManyLinks();
  const row = rowOf(room.id, settings, assetId, secretPrefix, secretKey, createdAtMs);
  await db.transact(async (sql) => {
    await insertLink(sql, row);
    const { secret: _secret, ...told } = settings;
    const subject = { kind: "link", id: row.id };
    await appendEvents(sql, room, [auditDraft(room, actorOf(principal), createdAtMs, "link_opened", subject, told)]);
  });
  return null;
}

function rowOf(
  workspaceId: string,
  settings: LinkSettings,
  assetId: string | null,
  secretPrefix: string | null,
  secretKey: string | null,
  nowMs: number,
): LinkRow {
  const { linkId: id, name, protocol, direction, transport, role, address, port, options, secret } = settings;
  return {
    workspace_id: workspaceId,
    id,
    name,
    asset_id: assetId,
    protocol,
    direction,
    transport,
    role,
    address,
    port,
    options: { ...options },
    secret_sealed: secret === null || secretKey === null ? null : seal(secretKey, id, secret),
    secret_prefix: secretPrefix,
    created_at: new Date(nowMs),
  };
}

/**
 * Settings of a stored link, for opening it at the start of the process. `canRead` is false when its secret cannot be
 * decrypted.
 */
export function storedSettings(row: LinkRow, secretKey: string | null): { settings: LinkSettings; canRead: boolean } {
  const { id: linkId, name, protocol, direction, transport, role, address, port, options, secret_sealed: sealed } = row;
  const secret = sealed === null || secretKey === null ? null : unseal(secretKey, linkId, sealed);
  const settings = { linkId, name, protocol, direction, transport, role, address, port, options, secret };
  return { settings, canRead: sealed === null || secret !== null };
}

export function closeLink(
  { db, clock, host }: LinkParts,
  room: RoomFace,
  principal: Principal,
  id: string,
): Promise<null | Refusal<"not_found" | "invalid_state">> {
  return room.serially(async () => {
    const link = host.get(room.id, id);
    const deleted = await db.transact(async (sql) => {
      if (!(await deleteLink(sql, room.id, id))) return false;
      const subject = { kind: "link", id };
      await appendEvents(sql, room, [auditDraft(room, actorOf(principal), clock.nowMs(), "link_closed", subject, {})]);
      return true;
    });
    if (!deleted && link === undefined) return refusal("not_found", `no link ${id} in this workspace`);
    if (!deleted && link?.createdAtMs === null)
      return refusal("invalid_state", `${link.settings.name} belongs to the deployment: its configuration closes it`);
    // Without a row it was deleted earlier and the answer was lost. Close what is left of it.
    await host.close(id);
    return null;
  });
}

export function ignoreDiscovery(
  { db, clock }: LinkParts,
  room: RoomFace,
  principal: Principal,
  key: string,
): Promise<null> {
  return room.serially(async () => {
    const nowMs = clock.nowMs();
    const actor = actorOf(principal);
    await db.transact(async (sql) => {
      await insertIgnoredKey(sql, room.id, key, actor.id, new Date(nowMs));
      const subject = { kind: "discovery", id: key };
      await appendEvents(sql, room, [auditDraft(room, actorOf(principal), nowMs, "discovery_ignored", subject, {})]);
    });
    room.commit({ op: "discovery_ignored", key }, nowMs);
    return null;
  });
}
