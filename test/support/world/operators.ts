/** The people of a simulated run: they register, edit, bind and remove assets, command them, take it back, and judge tracks. */
import { DEFAULT_PROFILE } from "../../../src/domain/defaultProfiles.ts";
import { VERB_ORDER, VERB_TABLE } from "../../../src/domain/verbs.ts";
import type { Room } from "../../../src/room/room.ts";
import { SITE } from "../../../src/sim/contacts.ts";
import { type Asked, SECOND_MAVLINK_PORT } from "./deployment.ts";
import type { Draws } from "./draws.ts";

interface Request extends Asked {
  readonly route: string;
}

const VEHICLE_MODELS = ["Quadrotor", "Hexarotor", "Fixed Wing", "quadrotor fpv"];
const SENSOR_MODELS = ["rf-df-array", ...Object.values(DEFAULT_PROFILE).map(({ id }) => id)];
const WANTS = {
  ...{ command: 12, register: 4, edit: 3, bind: 2, remove: 1, cancel: 3, payloads: 1, track: 3, ignore: 1, link: 1 },
} as const;
const NAMES = ["Falcon", "Heron", "Kite", "Mast North", "Mast South"];
const SERIALS = ["SERIAL0001", "SERIAL0002", "SERIAL0003"];

export class Operators {
  readonly #draws: Draws;
  #made = 0;

  constructor(draws: Draws) {
    this.#draws = draws;
  }

  /** What somebody asks for now; null: nothing. `links`: ids of those that are held. */
  next(room: Room, links: readonly string[], nowMs: number): Request | null {
    const draws = this.#draws;
    if (!draws.chance(0.1)) return null;
    this.#made++;
    switch (draws.weighted(WANTS)) {
      case "command":
        return this.#command(room, nowMs);
      case "register":
        return this.#register(room);
      case "edit":
        return this.#edit(room);
      case "bind":
        return this.#ofAsset(room, "bind", { key: this.#key(room) });
      case "remove":
        return this.#ofAsset(room, null);
      case "cancel":
        return this.#cancel(room);
      case "payloads":
        return this.#ofAsset(room, "payloads", { payloads: draws.pick([null, []]) });
      case "track":
        return this.#judge(room);
      case "ignore":
        return { route: "POST /api/discoveries/{key}/ignore", params: { key: this.#key(room) } };
      case "link":
        return this.#link(links);
    }
  }

  #link(ids: readonly string[]): Request {
    if (ids.length > 0 && this.#draws.chance(0.4))
      return { route: "DELETE /api/links/{id}", params: { id: this.#draws.pick(ids) } };
    const body = { protocol: "mavlink2", name: "second", address: "127.0.0.1", port: SECOND_MAVLINK_PORT };
    return { route: "POST /api/links", body };
  }

  // ---- the registry

  #register(room: Room): Request {
    const draws = this.#draws;
    const isSensor = draws.chance(0.4);
    const discovered = [...room.forces.fleet.platforms()];
    const adopts = discovered.length > 0 && draws.chance(0.7);
    const address = adopts ? this.#addressOf(room) : draws.pick([`10.0.0.${draws.below(9)}:14550`, "radar-0", "rf-1"]);
    const body = {
      name: `${draws.pick(NAMES)} ${this.#made}`,
      ...(adopts && draws.chance(0.5) ? {} : { catalog_name: draws.pick(isSensor ? SENSOR_MODELS : VEHICLE_MODELS) }),
      ...(adopts || draws.chance(0.6) ? { connection: { address } } : {}),
      ...(draws.chance(0.2) ? { remote_id_serial: draws.pick(SERIALS) } : {}),
      ...(isSensor ? { placement: this.#placement(room) } : {}),
      ...(draws.chance(0.1) ? { performance: { max_mps: draws.between(5, 40) } } : {}),
    };
    return { route: "POST /api/assets", body };
  }

  #addressOf(room: Room): string {
    const draws = this.#draws;
    const { key, source } = draws.pick([...room.forces.fleet.platforms()]);
    return draws.pick([key, source.address, `${source.address}/${source.systemId}`]);
  }

  #placement(room: Room): object {
    const draws = this.#draws;
    const place = { lat: SITE.lat + draws.between(-0.01, 0.01), lon: SITE.lon + draws.between(-0.01, 0.01) };
    const vehicles = [...room.forces.fleet.assets()].filter(({ row }) => row.kind === "vehicle");
    if (vehicles.length > 0 && draws.chance(0.3)) return { ...place, host_asset_id: draws.pick(vehicles).row.id };
    const height = draws.chance(0.5) ? { alt_hae_m: 150 } : { height_agl_m: 12 };
    const blind = draws.chance(0.3) ? { blind_sectors: [{ az_from_deg: 10, az_to_deg: 60, el_max_deg: 90 }] } : {};
    return { ...place, ...height, yaw_deg: draws.below(360), ...blind };
  }

  #edit(room: Room): Request | null {
    const draws = this.#draws;
    const body = {
      spec: draws.chance(0.3) ? { note: draws.below(5) } : {},
      ...(draws.chance(0.3) ? { name: `${draws.pick(NAMES)} ${this.#made}` } : {}),
      ...(draws.chance(0.3) ? { switches: { taskable: draws.chance(0.5), share: draws.chance(0.5) } } : {}),
      ...(draws.chance(0.4) ? { placement: this.#placement(room) } : {}),
      ...(draws.chance(0.2) ? { model: draws.pick([...VEHICLE_MODELS, ...SENSOR_MODELS]) } : {}),
    };
    return this.#ofAsset(room, "", body);
  }

  /** `what`: the part of the path behind the asset; null removes the asset. */
  #ofAsset(room: Room, what: string | null, body?: object): Request | null {
    const assets = [...room.forces.fleet.assets()];
    if (assets.length === 0) return null;
    const params = { id: this.#draws.pick(assets).row.id };
    if (what === null) return { route: "DELETE /api/assets/{id}", params };
    return { route: `POST /api/assets/{id}${what === "" ? "" : `/${what}`}`, params, body };
  }

  #key(room: Room): string {
    const found = room.forces.discoveries(0).map(({ key }) => key);
    return found.length === 0 || this.#draws.chance(0.1) ? "dsc_unheard" : this.#draws.pick(found);
  }

  // ---- orders

  #command(room: Room, nowMs: number): Request | null {
    const draws = this.#draws;
    const ids = [...room.forces.fleet.assets()].map(({ row }) => row.id);
    for (const platform of room.forces.fleet.platforms()) ids.push(platform.key);
    if (ids.length === 0) return null;
    const heard = ids.filter((one) => room.forces.fleet.get(one)?.platform?.state === "up");
    const id = draws.pick(heard.length > 0 && draws.chance(0.7) ? heard : ids);
    const entry = room.forces.find(id);
    const advertised = entry === null ? [] : room.forces.verbsOf(entry).map(({ name }) => name);
    const verb = advertised.length > 0 && draws.chance(0.9) ? draws.pick(advertised) : draws.pick(VERB_ORDER);
    const body = {
      verb,
      params: this.#params(room, verb),
      ...(draws.chance(0.2) ? { idempotency_key: `key-${draws.below(6)}` } : {}),
      ...(draws.chance(0.1) ? { deadline_at: new Date(nowMs + draws.between(-500, 8000)).toISOString() } : {}),
      ...(draws.chance(0.1) ? { plan_id: "pln_made_up" } : {}),
      ...(draws.chance(0.05) ? { dry_run: true } : {}),
      ...(VERB_TABLE.get(verb)?.requiresConfirm ? { confirm: room.forces.fleet.get(id)?.row.name ?? id } : {}),
    };
    return { route: "POST /api/assets/{id}/command", params: { id }, body };
  }

  #params(room: Room, verb: string): object {
    const draws = this.#draws;
    const point = { lat: SITE.lat + draws.between(-0.004, 0.004), lon: SITE.lon + draws.between(-0.004, 0.004) };
    const high = draws.chance(0.7) ? { alt_m: draws.between(10, 80), alt_ref: draws.pick(["hae", "rel_home"]) } : {};
    const tracks = [...room.tracks.all()].map((track) => track.id);
    switch (draws.pick(VERB_TABLE.get(verb)?.kinds ?? ["none"])) {
      case "point":
        if (verb === "takeoff") return { kind: "point", alt_m: draws.between(2, 40), alt_ref: "rel_home" };
        return { kind: "point", ...point, ...high, ...(verb === "orbit" ? { radius_m: 50 } : {}) };
      case "track":
        return { kind: "track", track_id: tracks.length === 0 ? "trk_none" : draws.pick(tracks) };
      case "path":
        return { kind: "path", points: [point, { ...point, lat: SITE.lat }], loop: draws.chance(0.3) };
      case "speed":
        return { kind: "speed", speed_mps: draws.between(1, 20) };
      case "angle":
        return { kind: "angle", az_deg: draws.below(360), el_deg: 0 };
      case "mode":
        return { kind: "mode", mode: draws.pick(["GUIDED", "LOITER"]) };
      default:
        return { kind: "none" };
    }
  }

  #cancel(room: Room): Request | null {
    const open = [...room.tasks.open()];
    if (open.length === 0) return null;
    return { route: "POST /api/tasks/{id}/cancel", params: { id: this.#draws.pick(open).id }, body: undefined };
  }

  // ---- tracks

  #judge(room: Room): Request | null {
    const draws = this.#draws;
    const ids = [...room.tracks.all()].map((track) => track.id);
    if (ids.length < 3) return null;
    const [one, two] = draws.shuffled(ids) as [string, string];
    const reason = draws.chance(0.5) ? { reason: "seen from the tower" } : {};
    switch (draws.weighted({ mark: 6, merge: 1, split: 1 })) {
      case "mark":
        return {
          route: "POST /api/tracks/{id}/identity",
          params: { id: one },
          body: { identity: draws.pick(["hostile", "friend", null]), label: draws.pick(["A", null]), ...reason },
        };
      case "merge":
        return { route: "POST /api/tracks/merge", body: { track_ids: [one, two], ...reason } };
      case "split":
        return { route: "POST /api/tracks/{id}/split", params: { id: one }, body: reason };
    }
  }
}
