/**
 * Contacts and sensors that are ours: the effects of the registry on fusion, over HTTP (docs/interface.md#identity,
 * #asset-views).
 */
import { describe, expect, test } from "vitest";
import { useService } from "../support/frontDoor.ts";
import { openStream } from "../support/sse.ts";
import { until } from "../support/until.ts";

const front = useService();
const { ask, made } = front;
const observe = (members: object) => ask("POST", "/api/signals", { measured_at: Date.now(), ...members });

describe("[AS-6] friendly contacts are derived from the registry", () => {
  const SERIAL = "1596F-FRIEND";
  const claim = (lat = 50.03) =>
    observe({
      source_id: "rid",
      modality: "remote_id",
      uas_id: SERIAL,
      id_type: "serial",
      lat,
      lon: 8.56,
      alt_hae_m: 150,
      speed_mps: 0,
      track_deg: 0,
    });
  const tracks = async () => (await ask("GET", "/api/tracks")).body.data;
  const untilTrack = (
    what: string,
    is: (track: { identity: string; remote_id: { uas_id: string } | null; asset_id: string | null }) => boolean,
  ) =>
    until(what, async () => {
      await claim();
      return (await tracks()).find(
        (track: { remote_id: { uas_id: string } | null }) => track.remote_id?.uas_id === SERIAL && is(track as never),
      );
    });
  test("a registered serial is a friend on all read paths at once, a removed one unknown at once", async () => {
    const stranger = await untilTrack("an unknown contact", ({ identity }) => identity === "unknown");
    const id = await made({ name: "Friend", catalog_name: "quadrotor", remote_id_serial: SERIAL });
    const [friend] = (await tracks()).filter((track: { id: string }) => track.id === stranger.id);
    expect(friend).toMatchObject({ identity: "friend", identity_basis: "registry", asset_id: id });
    const { body: picture } = await ask("GET", "/api/picture");
    expect(picture.data.tracks.find((track: { id: string }) => track.id === stranger.id)).toMatchObject({
      identity: "friend",
      asset_id: id,
    });
    expect(picture.data.assets.find((asset: { id: string }) => asset.id === id)).toMatchObject({
      track_id: stranger.id,
    });
    expect((await ask("DELETE", `/api/assets/${id}`)).status).toBe(204);
    const [after] = (await tracks()).filter((track: { id: string }) => track.id === stranger.id);
    expect(after).toMatchObject({ identity: "unknown", identity_basis: "remote_id", asset_id: null });
  });
  test("the stream and a snapshot in between show the same", async () => {
    const serial = "1596F-STREAM";
    const claim = () =>
      observe({
        source_id: "rid",
        modality: "remote_id",
        uas_id: serial,
        lat: 50.4,
        lon: 8.4,
        alt_hae_m: 150,
        speed_mps: 0,
        track_deg: 0,
      });
    const track = await until("the contact", async () => {
      await claim();
      const seen = (await tracks()).find(
        (one: { remote_id: { uas_id: string } | null }) => one.remote_id?.uas_id === serial,
      );
      return seen?.status === "confirmed" ? seen : null;
    });
    const { workspaceId } = (await ask("GET", "/api/workspaces")).body.data.map((one: { id: string }) => ({
      workspaceId: one.id,
    }))[0];
    const open = async () => {
      const answer = await front.service.request("POST", "/api/auth/stream-ticket", {
        key: front.key,
        workspace: workspaceId,
      });
      return openStream(`${front.service.url}/api/stream?ticket=${answer.body.data.ticket}`);
    };
    const stream = await open();
    try {
      const next = (identity: string) =>
        stream.next(
          ({ event, data }) =>
            event === "track_update" && data.track.id === track.id && data.track.identity === identity,
        );
      const id = await made({ name: "Streamed", catalog_name: "quadrotor", remote_id_serial: serial });
      expect((await next("friend")).data.track).toMatchObject({ asset_id: id, identity_basis: "registry" });
      const late = await open();
      const snapshot = await late.next(({ event }) => event === "snapshot");
      await late.close();
      expect(snapshot.data.tracks.find((one: { id: string }) => one.id === track.id)).toMatchObject({
        identity: "friend",
        asset_id: id,
      });
      await ask("DELETE", `/api/assets/${id}`);
      expect((await next("unknown")).data.track).toMatchObject({ asset_id: null, identity_basis: "remote_id" });
    } finally {
      await stream.close();
    }
  });
  test("pushed positions count as the platform's own report: its serial elsewhere is flagged", async () => {
    const id = await made({ name: "Pushed", catalog_name: "quadrotor", remote_id_serial: "1596F-PUSHED" });
    const own = () =>
      observe({
        source_id: "gcs",
        modality: "blue_force",
        asset_key: id,
        lat: 50.2,
        lon: 8.2,
        alt_hae_m: 140,
        battery_pct: 64,
        armed: true,
        landed: "in_air",
      });
    const other = () =>
      observe({
        source_id: "rid",
        modality: "remote_id",
        uas_id: "1596F-PUSHED",
        lat: 50.3,
        lon: 8.2,
        alt_hae_m: 140,
        speed_mps: 0,
        track_deg: 0,
      });
    const flagged = await until("the flagged contact", async () => {
      await own();
      await other();
      return (await tracks()).find((track: { claim_flags: unknown[] }) => track.claim_flags.length > 0);
    });
    expect(flagged).toMatchObject({
      identity: "unknown",
      asset_id: null,
      claim_flags: [{ code: "serial_duplicate", unit: "m" }],
    });
    const view = (await ask("GET", `/api/assets/${id}`)).body.data;
    expect(view).toMatchObject({
      link: { state: "up", protocol: "rest_push" },
      motion: { lat: 50.2 },
      power: { percent: 64 },
      nav: { armed: true, landed: "in_air" },
    });
  });
});

describe("[AS-7] sensors that are placed feed the tracker their profile and pose at once", () => {
  test("an unplaced source must send its pose; a placed one need not, under its id or its former name", async () => {
    const plot = (source: string, pose = {}) =>
      observe({ source_id: source, modality: "radar", az_deg: 10, el_deg: 2, range_m: 1500, ...pose });
    expect((await plot("radar-7")).status).toBe(400);
    const pose = { sensor_pose: { lat: 50, lon: 8, alt_hae_m: 100 } };
    expect((await plot("radar-7", pose)).status).toBe(200);
    const [found] = (await ask("GET", "/api/discoveries")).body.data.filter(
      (one: { address: string }) => one.address === "radar-7",
    );
    expect(found).toMatchObject({ protocol: "rest_push", kind_guess: "sensor", state: "heard" });
    const id = await made({
      name: "Mast",
      catalog_name: "radar-3d-short",
      connection: { address: "radar-7" },
      placement: { lat: 50.01, lon: 8.01, alt_hae_m: 120, yaw_deg: 45 },
    });
    for (const source of [id, "radar-7"])
      expect((await plot(source)).body.data).toMatchObject({ accepted: 1, rejected_count: 0 });
    const { sensors, candidates } = (await ask("GET", "/api/picture")).body.data;
    expect(sensors.filter((sensor: { id: string }) => sensor.id === id || sensor.id === "radar-7")).toHaveLength(1);
    expect(sensors.find((sensor: { id: string }) => sensor.id === id)).toMatchObject({
      name: "Mast",
      kind: "sensor",
      motion: { lat: 50.01, heading_deg: 45 },
      sensor: { profile_id: "radar-3d-short", operational: "operational", detections_per_min: 3 },
    });
    expect(candidates.some((one: { address: string }) => one.address === "radar-7")).toBe(false);
    expect((await ask("DELETE", `/api/assets/${id}`)).status).toBe(204);
    expect((await plot(id)).status).toBe(400);
  });
});
