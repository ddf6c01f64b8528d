/** Which slices a room sends, and how often. */
import { expect, test } from "vitest";
import { ALL_DOMAIN_MASK, kindBit } from "../../src/domain/events.ts";
import type { Task } from "../../src/domain/task.ts";
import type { Sink } from "../../src/stream/sink.ts";
import { whyNotEvent } from "../support/eventCheck.ts";
import { claimOf, type ForcesRoom, openForcesRoom, ownWord } from "../support/forcesRoom.ts";

/** A client; returns the events since the last call as [event, payload]. */
function listen({ room, now }: ForcesRoom, kindsMask = 0): () => [string, string][] {
  let text = "";
  const sink: Sink = {
    write(block) {
      text += Buffer.from(block).toString();
      return true;
    },
    end() {},
    onDrain: null,
    onClose: null,
  };
  room.hub.attach(sink, kindsMask, { kind: "key", keyId: "key_1" }, now());
  return () => {
    const sent = [...text.matchAll(/^event: (\w+)\n(?:id: .*\n)?data: (.*)$/gm)];
    text = "";
    for (const [, event, data] of sent) expect(whyNotEvent({ event: event!, data: JSON.parse(data!) })).toBeNull();
    return sent.map(([, event, data]) => [event!, data!]);
  };
}

const plot = (id: string, atMs: number) => ({
  source_id: id,
  modality: "radar",
  measured_at: atMs,
  az_deg: 1,
  range_m: 500,
  sensor_pose: { lat: 50, lon: 8, alt_hae_m: 100 },
});
const SLICES = ["live_state", "live_state", "engagement_slice", "fleet_slice", "sensor_slice", "integration_slice"];
const namesOf = (sent: [string, string][]) => sent.map(([event]) => event).filter((event) => event !== "snapshot");

test("[ST-59] the first stream of a room that has just opened gets each slice once", async () => {
  const forces = await openForcesRoom();
  forces.commit({ id: "ast_1" });
  forces.push(plot("r", forces.now()), ownWord("ast_1", 50, 8, forces.now()));
  const sent = listen(forces);
  forces.pass(0.2);
  expect(namesOf(sent())).toEqual(SLICES);
  forces.pass(0.7);
  expect(namesOf(sent())).toEqual([]);
});

test("[TK-27] tasking_status has the percentage of the task itself", async () => {
  const forces = await openForcesRoom();
  const sent = listen(forces, ALL_DOMAIN_MASK);
  const task = { id: "tsk_1", asset_id: "ast_1", status: "failed", status_version: 4, reason: "stalled", env: "live" };
  forces.room.commit(
    { op: "task_moved", task: { ...task, progress_pct: 20 } as Task, previous: "executing" },
    forces.now(),
  );
  forces.pass(0.2);
  const moves = sent().filter(([event]) => event === "tasking_status");
  expect(moves.map(([, data]) => JSON.parse(data).progress_pct)).toEqual([20]);
});

test("[ST-9] the first engagement_slice equals the picture's", async () => {
  const forces = await openForcesRoom();
  const sent = listen(forces);
  forces.pass(0.2);
  const slice = JSON.parse(sent().find(([event]) => event === "engagement_slice")![1]);
  const { at, env, ...engagements } = slice;
  expect([at, env]).toEqual([expect.any(String), "live"]);
  expect(Object.keys(engagements)).toEqual(["threats", "plan", "candidate_plans", "sim"]);
  const picture = JSON.parse(Buffer.from(forces.room.encoded.pictureBody(forces.now())).toString()).data;
  expect(picture).toMatchObject(engagements);
});

test("[ST-59] a client that comes to a room without streams gets every slice once, then changes", async () => {
  const forces = await openForcesRoom();
  forces.push(plot("r", forces.now()));
  forces.pass(3);
  forces.push(plot("s", forces.now()));
  const sent = listen(forces);
  forces.pass(1.5);
  const first = sent();
  expect(namesOf(first).filter((event) => event === "sensor_slice")).toHaveLength(1);
  expect(namesOf(first).filter((event) => event === "fleet_slice")).toHaveLength(1);
  forces.commit({ id: "ast_1" });
  forces.pass(2);
  expect(namesOf(sent())).toContain("fleet_slice");
});

test("[ST-59] reports of platforms that are not ours do not send fleet_slice", async () => {
  const forces = await openForcesRoom();
  forces.commit({ id: "ast_1" });
  const sent = listen(forces);
  forces.pass(2);
  sent();
  forces.push(plot("r", forces.now()));
  forces.pass(3);
  const later = namesOf(sent());
  expect(later).toContain("sensor_slice");
  expect(later).not.toContain("fleet_slice");
});

test("[ST-59] a sensor that falls silent changes sensor_slice, and not integration_slice", async () => {
  const forces = await openForcesRoom();
  const sent = listen(forces);
  forces.push(plot("r", forces.now()));
  forces.pass(2);
  sent();
  forces.pass(20);
  const later = namesOf(sent());
  expect(later).toContain("sensor_slice");
  expect(later).not.toContain("integration_slice");
});

const AT = "2027-01-15T08:00:00.000Z";
const QUEUED: Task = {
  id: "tsk_1",
  asset_id: "ast_1",
  verb: "hold",
  params: { kind: "none" },
  status: "queued",
  status_version: 1,
  reason: null,
  reason_code: null,
  rule_id: null,
  created_by: { kind: "user", id: "usr_1", name: "u" },
  created_at: AT,
  sent_at: null,
  acked_at: null,
  started_at: null,
  ended_at: null,
  deadline_at: AT,
  attempts: 0,
  progress_pct: null,
  eta_at: null,
  result: null,
  parent_task_id: null,
  plan_id: null,
  threat_id: null,
  engagement_id: null,
  idempotency_key: null,
  command_reason: null,
  env: "live",
  history: [{ status: "queued", at: AT, by: "usr_1", note: null }],
};
test("[ST-61] every event of a busy room has the payload that the description gives for its name", async () => {
  const forces = await openForcesRoom();
  const sent = listen(forces, ALL_DOMAIN_MASK | kindBit("fusion_explain"));
  const { room } = forces;
  forces.commit({ id: "ast_1" });
  const radar = { source_id: "r", modality: "radar", sensor_pose: { lat: 50, lon: 8, alt_hae_m: 100 } };
  forces.pass(5, (second) =>
    forces.push(
      { ...radar, measured_at: forces.now(), az_deg: 1, el_deg: 3, range_m: 2000 + 10 * second },
      ownWord("ast_1", 50.01, 8, forces.now()),
      claimOf("SERIAL0000000001", 50.02, 8.01, forces.now()),
      { source_id: "d", modality: "rf", measured_at: forces.now(), az_deg: 40, sensor_pose: radar.sensor_pose },
    ),
  );
  room.commit({ op: "task_moved", task: QUEUED, previous: null }, forces.now());
  room.commit(
    { op: "task_moved", task: { ...QUEUED, status: "cancelled", status_version: 2 }, previous: "queued" },
    forces.now(),
  );
  const reporter = { protocol: "mavlink2", address: "192.0.2.9:14550", systemId: "9", linkId: "lnk_9" };
  const report = { source: reporter, atMs: forces.now(), conflicts: ["192.0.2.8:14550"] };
  room.commit({ op: "platform_reported", report }, forces.now());
  forces.pass(30);
  // `listen` checks each one against the schema of its name.
  const names = new Set(sent().map(([event]) => event));
  const domain = ["track_update", "track_removed", "obs", "alert", "tasking", "tasking_status"];
  expect([...names].sort()).toEqual(["snapshot", ...new Set(SLICES), ...domain, "fusion_explain"].sort());
});

test("[ST-80] live_state comes at least every two seconds, and every slice says when and in which environment it holds", async () => {
  const forces = await openForcesRoom();
  const sent = listen(forces);
  const times: number[] = [];
  for (let second = 0; second < 20; second++) {
    forces.pass(1);
    for (const [event, data] of sent()) {
      const { at, env } = JSON.parse(data);
      expect([Date.parse(at) > 0, env], event).toEqual([true, "live"]);
      if (event === "live_state") times.push(Date.parse(at));
    }
  }
  const gapsMs = times.slice(1).map((atMs, i) => atMs - times[i]!);
  expect(Math.max(...gapsMs)).toBeLessThan(2000);
  // Nothing changes in this room, so only the periodic ones are sent.
  expect(times.length).toBeLessThan(15);
});

test("[ST-81] a client has every member of a track a second after its last change, also when no update follows", async () => {
  const forces = await openForcesRoom();
  const told = listen(forces, kindBit("track_update"));
  const scan = (i: number) => ({ ...plot("r", forces.now()), az_deg: 30, el_deg: 5, range_m: 900 + 10 * i });
  const held: Record<string, unknown> = {};
  const take = () => {
    for (const [event, data] of told()) if (event === "track_update") Object.assign(held, JSON.parse(data).track);
  };
  // Scans a little apart from whole seconds, so that the last one is between two full updates.
  for (let i = 0; i < 9; i++) {
    forces.push(scan(i));
    forces.pass(0.3);
    take();
  }
  forces.pass(1.3);
  take();
  const picture = JSON.parse(Buffer.from(forces.room.encoded.pictureBody(forces.now())).toString()).data;
  for (const member of [
    "hits",
    "misses",
    "cov_pos_enu_m2",
    "cov_vel_enu_m2ps2",
    "error_ellipse",
    "le90_m",
    "climb_mps",
  ])
    expect(held[member], member).toEqual(picture.tracks[0][member]);
});
