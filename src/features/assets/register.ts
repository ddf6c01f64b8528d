/**
 * The rules of a registration (docs/interface.md#registration). Pure: in come the body, the catalogue's model and the discoveries
 * at the address; out comes the row to write or a refusal.
 */

import { addressWithSystem } from "../../domain/adoptionKey.ts";
import type { Asset } from "../../domain/asset.ts";
import type { CatalogueDomain, ResolvedModel } from "../../domain/catalogue.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { PUSHED } from "../../domain/platformReport.ts";
import { cleanName } from "../../domain/text.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import type { Discovered } from "../../room/face.ts";
import { isSerial, whyNotPlacement, whyNotSpec } from "./rules.ts";
import type { RegisterAsset, SwitchesPatch } from "./schema.ts";

interface Registration {
  readonly id: string;
  readonly nowMs: number;
  readonly body: RegisterAsset;
  /** The catalogue's model of `modelNameOf(body)`, else of the discovered type; null: none. */
  readonly model: ResolvedModel | null;
  readonly discovered: readonly Discovered[];
  /** Whether another asset or another discovered system has the address of the discovery. */
  readonly isAddressShared: boolean;
}

/** The name to look up in the catalogue; null: the body gives none. */
export function modelNameOf({ catalog_name: catalogName, spec }: RegisterAsset): string | null {
  if (catalogName != null) return catalogName;
  const model = typeof spec === "object" && spec !== null ? (spec as { model?: unknown }).model : undefined;
  return typeof model === "string" && model !== "" ? model : null;
}

/** The checks that need the body only. */
export function whyNotRegister(
  body: RegisterAsset,
): Refusal<"invalid_input" | "invalid_spec" | "invalid_position"> | null {
  const spec = body.spec === undefined ? null : whyNotSpec(body.spec, "invalid_spec");
  if (spec !== null) return spec;
  if (body.placement != null) {
    const placement = whyNotPlacement(body.placement);
    if (placement !== null) return placement;
  }
  if (modelNameOf(body) !== null || body.connection?.address != null) return null;
  return refusal(
    "invalid_input",
    "a registration needs a catalog_name, or the connection.address of something discovered",
  );
}

type NoRegistration = Refusal<"not_found" | "invalid_input" | "invalid_spec" | "domain_mismatch">;

export function decideRegistration(registration: Registration): Asset | NoRegistration {
  const { body, model, discovered } = registration;
  const name = modelNameOf(body);
  const address = body.connection?.address ?? null;
  if (name !== null && model === null) return refusal("not_found", `no catalogue entry has the name ${name}`);
  if (name === null && discovered.length === 0) return refusal("not_found", `nothing is discovered at ${address}`);
  if (discovered.length > 1)
    return refusal(
      "invalid_input",
      `${discovered.length} vehicles are heard at ${address}: name one as ${address}/${discovered[0]!.systemId}`,
    );
  const found = discovered[0] ?? null;
  const domain = model?.spec.domain ?? found?.domainGuess ?? "air";
  if (body.domain != null && body.domain !== domain)
    return refusal("domain_mismatch", `${model?.name ?? address} is of the domain ${domain}, not ${body.domain}`);
  const kind = kindOf(model, found);
  if (kind === null) return refusal("invalid_spec", `${model?.name} is a ${model?.kind}: no asset can be made of it`);
  if (body.kind != null && body.kind !== kind)
    return refusal("domain_mismatch", `${model?.name ?? address} is a ${kind}, not a ${body.kind}`);
  return toRow(registration, { kind, domain, model: model?.name ?? found?.modelGuess ?? null }, found);
}

interface What {
  readonly kind: Asset["kind"];
  readonly domain: CatalogueDomain;
  readonly model: string | null;
}

function toRow({ id, nowMs, body, isAddressShared }: Registration, what: What, found: Discovered | null): Asset {
  const given = (body.spec ?? {}) as Record<string, unknown>;
  const written = body.remote_id_serial ?? (given.remote_id_serial as string | null | undefined) ?? null;
  const serial = written ?? (found === null ? null : isSerial(found.remoteIdSerial) ? found.remoteIdSerial : found.key);
  const { remote_id_serial: _serial, model: _model, ...rest } = given;
  const now = toRfc3339(nowMs);
  return {
    id,
    kind: what.kind,
    name: cleanName(body.name),
    domain: what.domain,
    spec: {
      ...rest,
      ...(what.model === null ? {} : { model: what.model }),
      ...(serial === null ? {} : { remote_id_serial: serial }),
    },
    remote_id_serial: serial,
    performance: body.performance ?? null,
    placement: body.placement ?? null,
    payloads: body.payloads ?? null,
    switches: patchSwitches({}, body.switches),
    connection: connectionOf(body, found, isAddressShared),
    created_at: now,
    updated_at: now,
    version: 1,
  };
}

function connectionOf(
  { connection }: RegisterAsset,
  found: Discovered | null,
  isAddressShared: boolean,
): Asset["connection"] {
  if (connection == null) return null;
  return {
    address: addressOf(connection.address ?? null, found, isAddressShared),
    protocol: connection.protocol ?? found?.protocol ?? null,
    port: connection.port ?? null,
    system_id: connection.system_id ?? found?.systemId ?? null,
    link_id: connection.link_id ?? found?.linkId ?? null,
    secret_ref: connection.secret_ref ?? null,
  };
}

/**
 * An adoption key names a source but not its host, and a vehicle that changes its port is recognised by its host. So the
 * discovered address is stored in place of a key. A source that pushes is stored by its own name.
 */
function addressOf(given: string | null, found: Discovered | null, isAddressShared: boolean): string | null {
  if (found === null) return given;
  if (found.protocol === PUSHED) return found.address;
  if (given !== found.key) return given;
  return isAddressShared ? addressWithSystem(found.address, found.systemId) : found.address;
}

/**
 * An effector is commanded like a vehicle. No asset can be made of a payload, and of a contact only where a link discovered one
 * of that type: a person with a radio. Infrastructure is what the link says it is.
 */
export function kindOf(
  model: ResolvedModel | null,
  found: Pick<Discovered, "kindGuess" | "typeGuess"> | null,
): Asset["kind"] | null {
  if (model === null) return found?.kindGuess ?? "vehicle";
  switch (model.kind) {
    case "sensor":
      return "sensor";
    case "contact":
      return found !== null && found.typeGuess === model.spec.type ? found.kindGuess : null;
    case "payload":
      return null;
    case "infrastructure":
      return found?.kindGuess ?? "vehicle";
    default:
      return "vehicle";
  }
}

/** Merges switch by switch; null takes a switch back to its default. */
export function patchSwitches(switches: Asset["switches"], patch: SwitchesPatch | null | undefined): Asset["switches"] {
  const merged = Object.entries({ ...switches, ...patch }).filter(([, value]) => value != null);
  return Object.fromEntries(merged) as Asset["switches"];
}
