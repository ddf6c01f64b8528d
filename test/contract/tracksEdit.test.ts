/** An operator's changes of tracks over HTTP: identity, label and note, merge and split. */
import { expect, test } from "vitest";
import { says, useService } from "../support/frontDoor.ts";
import { until } from "../support/until.ts";

const front = useService();
const { ask } = front;

const POSE = { lat: 51.4325, lon: -1.9875, alt_hae_m: 150 };
/** Plots of objects at these azimuths, until their tracks are confirmed. */
async function tracksAt(source: string, ...azimuths: number[]): Promise<string[]> {
  const isHere = ({ sensors, status }: { sensors: { sensor_id: string }[]; status: string }) =>
    status === "confirmed" && sensors.some(({ sensor_id }) => sensor_id === source);
  const live = async () => (await ask("GET", "/api/tracks")).body.data.filter(isHere);
  await until("the tracks", async () => {
    const detections = azimuths.map((az_deg) => ({ az_deg, el_deg: 4, range_m: 1200, range_rate_mps: 0 }));
    const scan = { source_id: source, modality: "radar", measured_at: Date.now(), sensor_pose: POSE, detections };
    await ask("POST", "/api/signals", { scans: [scan] });
    return (await live()).length >= azimuths.length;
  });
  return (await live()).map(({ id }: { id: string }) => id);
}
const track = async (id: string) => (await ask("GET", `/api/tracks/${id}`)).body.data;
const audits = async (name: string) => (await ask("GET", `/api/events?name=audit.${name}`)).body.data;

test("[TR-1] an operator's identity stands above the automatic rules until it is taken back; label and note stay", async () => {
  const [id] = await tracksAt("radar-1", 40);
  const marked = await ask("POST", `/api/tracks/${id}/identity`, {
    identity: "hostile",
    label: "Bravo 1",
    note: "seen by the tower",
    reason: "it flies at the runway",
  });
  expect(marked.status).toBe(200);
  expect(marked.body.data).toMatchObject({ identity: "hostile", identity_basis: "operator", label: "Bravo 1" });
  await tracksAt("radar-1", 40);
  expect(await track(id!)).toMatchObject({ identity: "hostile", label: "Bravo 1", note: "seen by the tower" });
  const back = await ask("POST", `/api/tracks/${id}/identity`, { identity: null, note: null });
  expect(back.body.data).toMatchObject({ identity: "unknown", identity_basis: "none", label: "Bravo 1", note: null });
  await until("the log has both", async () => (await audits("track_marked")).length === 2);
  const [newest] = (await audits("track_marked")).filter(
    ({ data }: { data: { reason: string | null } }) => data.reason !== null,
  );
  expect(newest).toMatchObject({
    subject: { kind: "track", id },
    data: { identity: "hostile", label: "Bravo 1", reason: "it flies at the runway" },
  });
});

test("[TR-2] tracks that are merged are one: the first is kept, the others end in it", async () => {
  const ids = await tracksAt("radar-2", 80, 83);
  const [kept, other] = ids as [string, string];
  await ask("POST", `/api/tracks/${other}/identity`, { label: "from the other" });
  const merged = await ask("POST", "/api/tracks/merge", { track_ids: [kept, other] });
  expect(merged.status).toBe(200);
  expect(merged.body.data).toMatchObject({ id: kept, merged_from: [other], label: "from the other" });
  expect((await ask("GET", `/api/tracks/${other}`)).status).toBe(404);
  expect(await track(kept)).toMatchObject({ id: kept });
  await until("the log has it", async () => (await audits("tracks_merged")).length === 1);
  expect((await audits("tracks_merged"))[0]).toMatchObject({ subject: { id: kept }, data: { merged: [other] } });
});

test("[TR-3] a track that is split is two: it keeps its id, the new one says where it came from", async () => {
  const [id] = await tracksAt("radar-3", 120);
  const split = await ask("POST", `/api/tracks/${id}/split`, {});
  expect(split.status).toBe(200);
  const [first, second] = split.body.data.tracks;
  expect([first.id, first.split_from, second.split_from]).toEqual([id, null, id]);
  expect(await track(second.id)).toMatchObject({ status: "confirmed", split_from: id });
});

test("[TR-4] an edit that cannot be made is refused with the reason", async () => {
  const [id] = await tracksAt("radar-4", 200);
  const cases = [
    [await ask("POST", `/api/tracks/${id}/identity`, {}), 400, "invalid_input"],
    [await ask("POST", `/api/tracks/${id}/identity`, { identity: "enemy" }), 400, "invalid_input"],
    [await ask("POST", `/api/tracks/trk_none/identity`, { label: "x" }), 404, "not_found"],
    [await ask("POST", "/api/tracks/merge", { track_ids: [id, id] }), 400, "invalid_input"],
    [await ask("POST", "/api/tracks/merge", { track_ids: [id] }), 400, "invalid_input"],
    [await ask("POST", "/api/tracks/merge", { track_ids: [id, "trk_none"] }), 404, "not_found"],
    [await ask("POST", `/api/tracks/trk_none/split`, {}), 404, "not_found"],
  ] as const;
  for (const [answer, status, code] of cases) expect(says(answer)).toEqual([status, code]);
});

test("[TR-5] how the last scans of a track were fused is told after the fact, newest first, though nobody watched", async () => {
  const [id] = await tracksAt("radar-5", 260);
  const { status, body, headers } = await ask("GET", `/api/tracks/${id}/explain?limit=1`);
  expect(status).toBe(200);
  expect(body.data).toHaveLength(1);
  const [newest] = body.data;
  expect(newest).toMatchObject({ schema: "fusion-explain.v1", sensor_id: "radar-5", modality: "radar" });
  expect(newest.measurements[0]).toMatchObject({ outcome: "updated", track_id: id });
  expect(newest.tracks.map(({ track_id }: { track_id: string }) => track_id)).toContain(id);
  const next = await ask("GET", `/api/tracks/${id}/explain?limit=1&cursor=${headers.get("X-Next-Cursor")}`);
  expect(Date.parse(next.body.data[0].scan_at)).toBeLessThan(Date.parse(newest.scan_at));
  const since = (await ask("GET", `/api/tracks/${id}/explain?since=${newest.scan_at}`)).body.data;
  // The last push may have been fused since.
  expect(since.at(-1).scan_at).toBe(newest.scan_at);
  expect(says(await ask("GET", "/api/tracks/trk_none/explain"))).toEqual([404, "not_found"]);
});
