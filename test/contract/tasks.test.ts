/** Commands and the ledger through the front door: docs/interface.md#commands. */
import { describe, expect, test } from "vitest";
import { findBreak } from "../../src/domain/eventLog.ts";
import { useService } from "../support/frontDoor.ts";
import { type Answered, type Asked, startTestPicket } from "../support/picket.ts";
import { openStream, type StreamEvent } from "../support/sse.ts";
import { until } from "../support/until.ts";

const front = useService();
const { ask } = front;
const says = ({ status, body }: Answered) => [status, body.code ?? body.data?.status ?? "ok"];

/** A vehicle that reports by pushes: its link is up, but no link can carry commands to it. */
async function vehicle(
  name: string,
  catalog = "quadrotor",
): Promise<{ id: string; hear: (more?: object) => Promise<Answered> }> {
  const { body, text } = await ask("POST", "/api/assets", { name, catalog_name: catalog });
  const id = body?.data?.id;
  expect(id, text).toBeDefined();
  const hear = (more = {}) =>
    ask("POST", "/api/signals", {
      source_id: "gcs",
      modality: "blue_force",
      measured_at: Date.now(),
      asset_key: id,
      lat: 50,
      lon: 8,
      alt_hae_m: 100,
      gps_fix: "3d",
      battery_pct: 80,
      armed: true,
      ...more,
    });
  await hear();
  return { id, hear };
}
const command = (id: string, body: object, asked: Asked = {}) => ask("POST", `/api/assets/${id}/command`, body, asked);
const GOTO = { verb: "goto", params: { kind: "point", lat: 50.01, lon: 8.01 } };

describe("[TK-1] every command is in the ledger, refused ones with the sentence", () => {
  test("accepted: 201, the task, its Location", async () => {
    const { id } = await vehicle("Accept");
    const answer = await command(id, { ...GOTO, reason: "look", threat_id: "thr_x" });
    expect(says(answer)).toEqual([201, "queued"]);
    const task = answer.body.data;
    expect(answer.headers.get("location")).toBe(`/api/tasks/${task.id}`);
    expect(task).toMatchObject({
      asset_id: id,
      verb: "goto",
      params: GOTO.params,
      status_version: 1,
      reason: null,
      command_reason: "look",
      threat_id: "thr_x",
      created_by: { kind: "key" },
      attempts: 0,
      env: "live",
    });
    expect((await ask("GET", `/api/tasks/${task.id}`)).body.data).toEqual(task);
    const { commitment } = (await ask("GET", `/api/assets/${id}`)).body.data;
    expect(commitment).toMatchObject({ threat_id: "thr_x", task_id: task.id });
    expect((await ask("GET", "/api/assets?free=true")).body.data.some((one: { id: string }) => one.id === id)).toBe(
      false,
    );
  });
  test("a verb that is not advertised: 409, the reason names the verb, Location names the task", async () => {
    const { id } = await vehicle("Refuse");
    for (const [verb, code] of [
      ["dance", "verb_not_advertised"],
      ["set_threshold", "verb_not_advertised"],
    ] as const) {
      const answer = await command(id, { verb, params: { kind: "mode" } });
      expect(says(answer)).toEqual([409, code]);
      expect(answer.body.error).toContain(verb);
      const task = (await ask("GET", answer.headers.get("location")!)).body.data;
      expect(task).toMatchObject({ verb, status: "refused", reason: answer.body.error, reason_code: code });
    }
  });
  test("a verb that is not available now", async () => {
    const { body } = await ask("POST", "/api/assets", { name: "Silent", catalog_name: "quadrotor" });
    const answer = await command(body.data.id, GOTO);
    expect(says(answer)).toEqual([409, "verb_unavailable"]);
    expect(answer.body.error).toBe("goto is unavailable: the link was never heard");
    expect((await ask("GET", answer.headers.get("location")!)).body.data).toMatchObject({
      status: "refused",
      rule_id: "link_lost",
    });
    const low = await vehicle("Low");
    await low.hear({ battery_pct: 9 });
    expect((await command(low.id, GOTO)).body.error).toMatch(
      /^goto is unavailable: battery 9 % is under the reserve of \d+ %$/,
    );
    expect(says(await command(low.id, { verb: "land" }))).toEqual([201, "queued"]);
  });
});

describe("[TK-2] a request that is no valid command writes no task", () => {
  test("parameters of another kind or shape, places off the earth, a past deadline, a missing confirmation", async () => {
    const { id, hear } = await vehicle("Strict");
    await hear({ landed: "on_ground" });
    const before = (await ask("GET", `/api/tasks?asset_id=${id}`)).body.data.length;
    const refused: [object, unknown[]][] = [
      [{ verb: "goto", params: { kind: "track", track_id: "trk_1" } }, [400, "params_kind_mismatch"]],
      [{ verb: "goto" }, [400, "params_kind_mismatch"]],
      [{ verb: "goto", params: { kind: "point", lat: 50 } }, [400, "invalid_input"]],
      [{ verb: "goto", params: { kind: "point", lat: 95, lon: 8 } }, [400, "invalid_position"]],
      [{ verb: "goto", params: { kind: "point", lat: 50, lon: 8, alt_m: 40 } }, [400, "invalid_input"]],
      [{ verb: "goto", params: { kind: "point", lat: 50, lon: 8, colour: "red" } }, [400, "invalid_input"]],
      [{ verb: "hold", deadline_at: "2020-01-01T00:00:00Z" }, [400, "invalid_input"]],
      [{ verb: "disarm" }, [400, "invalid_input"]],
      [{ verb: "disarm", confirm: "Strikt" }, [400, "invalid_input"]],
      [{ params: {} }, [400, "invalid_input"]],
    ];
    for (const [body, expected] of refused)
      expect(says(await command(id, body)), JSON.stringify(body)).toEqual(expected);
    expect(says(await command("ast_no", { verb: "hold" }))).toEqual([404, "not_found"]);
    expect((await ask("GET", `/api/tasks?asset_id=${id}`)).body.data).toHaveLength(before);
    expect(says(await command(id, { verb: "disarm", confirm: "Strict" }))).toEqual([201, "queued"]);
  });
  test("a dry run answers what would happen, and writes nothing", async () => {
    const { id } = await vehicle("Dry");
    const dry = await command(id, { ...GOTO, dry_run: true });
    expect(dry.status).toBe(200);
    expect(dry.body.data).toMatchObject({ would: { status: "queued", reason: null, estimate: { distance_m: 1323 } } });
    expect((await command(id, { verb: "dance", dry_run: true })).body.data.would).toMatchObject({ status: "refused" });
    expect((await ask("GET", `/api/tasks?asset_id=${id}`)).body.data).toEqual([]);
  });
});

test("[TK-3] one idempotency key is one task and one answer, refused ones, too", async () => {
  const { id } = await vehicle("Once");
  const [first, again] = [
    await command(id, { ...GOTO, idempotency_key: "k1" }),
    await command(id, { ...GOTO, idempotency_key: "k1" }),
  ];
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body.data).toEqual(first.body.data);
  expect(says(await command(id, { verb: "hold", idempotency_key: "k1" }))).toEqual([400, "invalid_input"]);
  const refusals = [
    await command(id, { verb: "dance", idempotency_key: "k2" }),
    await command(id, { verb: "dance", idempotency_key: "k2" }),
  ];
  expect(refusals.map(says)).toEqual([
    [409, "verb_not_advertised"],
    [409, "verb_not_advertised"],
  ]);
  expect(refusals[0]!.headers.get("location")).toBe(refusals[1]!.headers.get("location"));
});

describe("[TK-4] a verb that acts on a contact is refused without an approved plan", () => {
  test("respond is refused to every role, with every key, plan, confirmation and dry run", async () => {
    const { body } = await ask("POST", "/api/assets", { name: "Net", catalog_name: "capture_uas_net" });
    const { id } = body.data;
    await ask("POST", "/api/signals", {
      source_id: "gcs",
      modality: "blue_force",
      measured_at: Date.now(),
      asset_key: id,
      lat: 50,
      lon: 8,
      alt_hae_m: 100,
      battery_pct: 90,
      armed: true,
    });
    const view = (await ask("GET", `/api/assets/${id}`)).body.data;
    expect(view.verbs.find((verb: { name: string }) => verb.name === "respond")).toMatchObject({
      available: false,
      requires_approval: true,
      unavailable_rule: "approval_required",
    });
    const respond = { verb: "respond", params: { kind: "track", track_id: "trk_1" }, confirm: "Net" };
    for (const role of ["owner", "admin", "approver", "operator"])
      for (const more of [{}, { plan_id: "pln_made_up" }, { threat_id: "thr_1", plan_id: "".padEnd(20, "p") }]) {
        const answer = await command(id, { ...respond, ...more }, { key: await front.service.key(role, front.owner) });
        expect(says(answer)).toEqual([409, "verb_unavailable"]);
        expect(answer.body.error).toContain("respond");
        expect((await ask("GET", answer.headers.get("location")!)).body.data).toMatchObject({
          status: "refused",
          reason_code: "approval_required",
        });
      }
    expect((await command(id, { ...respond, dry_run: true })).body.data.would.status).toBe("refused");
    for (let i = 0; i < 2; i++) expect((await command(id, { ...respond, idempotency_key: "again" })).status).toBe(409);
    await ask("POST", `/api/assets/${id}`, { spec: {}, switches: { auto_respond: true } });
    expect((await command(id, respond)).status).toBe(409);
    const tasks = (await ask("GET", `/api/tasks?asset_id=${id}&verb=respond`)).body.data;
    expect(tasks.length).toBeGreaterThan(10);
    expect(tasks.every((task: { status: string }) => task.status === "refused")).toBe(true);
  });
  test("abort is always available: on a silent, switched-off vehicle, for an operator; never for a viewer", async () => {
    const { body } = await ask("POST", "/api/assets", {
      name: "Quiet",
      catalog_name: "quadrotor",
      switches: { enabled: false, taskable: false },
    });
    const { id } = body.data;
    expect(
      says(await command(id, { verb: "abort" }, { key: await front.service.key("operator", front.owner) })),
    ).toEqual([201, "queued"]);
    expect(says(await command(id, { verb: "abort" }, { key: await front.service.key("viewer", front.owner) }))).toEqual(
      [403, "read_only_role"],
    );
    expect(says(await command(id, { verb: "hold" }))).toEqual([409, "verb_unavailable"]);
  });
});

describe("[TK-5] a newer task of a slot supersedes the older", () => {
  test("a newer task of its slot takes over; abort takes over everything; a cancel ends it", async () => {
    const { id } = await vehicle("Way");
    const ids = [];
    for (const body of [GOTO, { verb: "hold" }, { verb: "set_speed", params: { kind: "speed", speed_mps: 5 } }])
      ids.push((await command(id, body)).body.data.id);
    const status = async (task: string) => (await ask("GET", `/api/tasks/${task}`)).body.data.status;
    expect(await Promise.all(ids.map(status))).toEqual(["superseded", "queued", "queued"]);
    const abort = (await command(id, { verb: "abort" })).body.data.id;
    expect(await Promise.all(ids.map(status))).toEqual(["superseded", "superseded", "superseded"]);
    const cancelled = await ask("POST", `/api/tasks/${abort}/cancel`, { reason: "enough" });
    expect(cancelled.body.data).toMatchObject({ status: "cancelled", status_version: 2, reason: "enough" });
    expect(says(await ask("POST", `/api/tasks/${abort}/cancel`))).toEqual([409, "invalid_state"]);
    expect(says(await ask("POST", "/api/tasks/tsk_no/cancel"))).toEqual([404, "not_found"]);
  });
  test("a hundred commands at once leave one open task and a hundred in the ledger", async () => {
    const { id } = await vehicle("Race");
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => command(id, { ...GOTO, params: { ...GOTO.params, lat: 50 + i / 1000 } })),
    );
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    const tasks = (await ask("GET", `/api/tasks?asset_id=${id}&limit=200`)).body.data;
    expect(tasks).toHaveLength(100);
    expect(tasks.filter((task: { status: string }) => task.status === "queued")).toHaveLength(1);
    expect(tasks.filter((task: { status: string }) => task.status === "superseded")).toHaveLength(99);
    const same = await Promise.all(
      Array.from({ length: 100 }, () => command(id, { verb: "hold", idempotency_key: "race" })),
    );
    expect(new Set(same.map(({ body }) => body.data.id)).size).toBe(1);
  });
  test("a task whose deadline passes is timed out", async () => {
    const { id } = await vehicle("Late");
    const deadline_at = new Date(Date.now() + 300).toISOString();
    const { body } = await command(id, { ...GOTO, deadline_at });
    const task = await until("timed out", async () => {
      const one = (await ask("GET", `/api/tasks/${body.data.id}`)).body.data;
      return one.status === "timed_out" ? one : null;
    });
    expect(task).toMatchObject({ reason_code: "deadline", status_version: 2 });
  });
});

test("[TK-6] the stream sends each command and each move, in order, without a gap", async () => {
  const { id } = await vehicle("Told");
  const ticket = (await ask("POST", "/api/auth/stream-ticket", undefined, { workspace: front.owner.workspaceId })).body
    .data.ticket;
  const stream = await openStream(`${front.service.url}/api/stream?ticket=${ticket}&kinds=tasking,tasking_status`);
  try {
    const events: StreamEvent[] = [];
    const read = async (wanted: (event: StreamEvent) => boolean) => {
      for (;;) {
        const event = await stream.next();
        events.push(event);
        if (wanted(event)) return;
      }
    };
    await read(({ event }) => event === "snapshot");
    const { body } = await command(id, GOTO);
    await command(id, { verb: "dance" });
    await ask("POST", `/api/tasks/${body.data.id}/cancel`);
    await read(({ event, data }) => event === "tasking_status" && data.status === "cancelled");
    const tasking = events.filter(({ event }) => event.startsWith("tasking"));
    expect(tasking.map(({ event, data }) => `${event} ${data.task?.status ?? data.status}`)).toEqual([
      "tasking queued",
      "tasking refused",
      "tasking_status cancelled",
    ]);
    expect(tasking[2]!.data).toMatchObject({
      task_id: body.data.id,
      asset_id: id,
      previous: "queued",
      status_version: 2,
      env: "live",
    });
    for (const { data } of tasking) expect(data.lat_ms).toEqual({ ingest: null, fuse: null, emit: expect.any(Number) });
    expect(tasking[1]!.data.prev_gen).toBe(tasking[0]!.data.stream_gen);
    expect(tasking[2]!.data.prev_gen).toBe(tasking[1]!.data.stream_gen);
    await read(({ event }) => event === "fleet_slice");
    expect(events.at(-1)!.data.assets.some((asset: { id: string }) => asset.id === id)).toBe(true);
  } finally {
    await stream.close();
  }
});

describe("[TK-7] the ledger is read in pages and by filters", () => {
  test("status, verb, since, order and cursor", async () => {
    const { id } = await vehicle("Pages");
    for (let i = 0; i < 5; i++) await command(id, { verb: i % 2 === 0 ? "hold" : "dance" });
    const list = async (query: string) => (await ask("GET", `/api/tasks?asset_id=${id}${query}`)).body.data;
    expect((await list("&status=refused")).map((task: { verb: string }) => task.verb)).toEqual(["dance", "dance"]);
    expect(await list("&verb=hold&status=queued,superseded")).toHaveLength(3);
    expect(await list(`&since=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`)).toEqual([]);
    const seen: string[] = [];
    let path: string | null = `/api/tasks?asset_id=${id}&limit=2&order=desc`;
    while (path !== null) {
      const page: Answered = await ask("GET", path);
      seen.push(...page.body.data.map((task: { id: string }) => task.id));
      path = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1] ?? null;
    }
    expect(seen).toEqual((await list("")).map((task: { id: string }) => task.id).reverse());
    expect(says(await ask("GET", "/api/tasks?status=done"))).toEqual([400, "invalid_input"]);
    expect(says(await ask("GET", "/api/tasks?cursor=%21"))).toEqual([400, "invalid_input"]);
  });
});

test("[TK-24] a vehicle that may be off the ground is not disarmed, and takes the modes of its autopilot", async () => {
  const { id, hear } = await vehicle("Off the ground");
  const verbNow = async (name: string) =>
    (await ask("GET", `/api/assets/${id}`)).body.data.verbs.find((one: { name: string }) => one.name === name);
  for (const [landed, available] of [
    ["on_ground", true],
    ["takeoff", false],
    ["in_air", false],
    ["landing", false],
  ] as const) {
    await hear({ landed });
    expect(await verbNow("disarm"), landed).toMatchObject({ available });
  }
  expect(await verbNow("set_mode")).toMatchObject({ available: true, params_kind: "mode" });
});

test("[TK-25] a member that the params of a verb do not have is named in a sentence", async () => {
  const { id } = await vehicle("Misspelt");
  const answer = await command(id, { verb: "goto", params: { ...GOTO.params, hight_m: 5 } });
  expect(says(answer)).toEqual([400, "invalid_input"]);
  expect(answer.body.error).toBe("goto takes no params.hight_m");
});

test("[TK-8] a build without vehicle control answers 501 and writes nothing", async () => {
  const other = await startTestPicket({ VEHICLE_CONTROL: "off" });
  try {
    const own = await other.key("owner");
    const { body } = await other.request("POST", "/api/assets", {
      key: own,
      body: { name: "X", catalog_name: "quadrotor" },
    });
    const answer = await other.request("POST", `/api/assets/${body.data.id}/command`, {
      key: own,
      body: { verb: "dance" },
    });
    expect(says(answer)).toEqual([501, "feature_absent"]);
    expect((await other.request("GET", "/api/tasks", { key: own })).body.data).toEqual([]);
    const { verbs } = (await other.request("GET", `/api/assets/${body.data.id}`, { key: own })).body.data;
    expect(verbs.length).toBeGreaterThan(5);
    for (const verb of verbs) expect(verb).toMatchObject({ available: false, unavailable_rule: "feature_absent" });
  } finally {
    await other.stop();
  }
});

describe("[EV-1] the event log", () => {
  test("every write is in the log with its actor, chained, append-only, in pages", async () => {
    const member = await front.service.login();
    const own = await front.service.key("owner", member);
    const as = { key: own };
    const { body } = await ask("POST", "/api/assets", { name: "Logged", catalog_name: "quadrotor" }, as);
    const { id } = body.data;
    await ask("POST", `/api/assets/${id}`, { spec: { note: "ünïcode \u{1f680}" } }, as);
    await command(id, { verb: "dance" }, as);
    const abort = await command(id, { verb: "abort" }, as);
    await ask("POST", `/api/tasks/${abort.body.data.id}/cancel`, undefined, as);
    await ask("DELETE", `/api/assets/${id}`, undefined, as);
    const log = (await ask("GET", "/api/events", undefined, as)).body.data;
    expect(log.map(({ name }: { name: string }) => name)).toEqual([
      "audit.key_created",
      "audit.asset_registered",
      "audit.asset_edited",
      "tasking",
      "tasking",
      "tasking_status",
      "audit.asset_removed",
    ]);
    expect(log.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(log[0]).toMatchObject({ actor: { kind: "user", name: member.email }, prev_hash: null, env: "live" });
    expect(log[1]).toMatchObject({ actor: { kind: "key" }, subject: { kind: "asset", id } });
    expect(findBreak(log)).toBeNull();
    expect(findBreak(log.toSpliced(2, 1))).toBe(4);
    expect(findBreak(log.with(1, { ...log[1], actor: { ...log[1].actor, name: "somebody else" } }))).toBe(2);
    const query = async (text: string) =>
      (await ask("GET", `/api/events?${text}`, undefined, as)).body.data.map(({ seq }: { seq: number }) => seq);
    expect(await query("name=audit.asset*")).toEqual([2, 3, 7]);
    expect(await query(`subject=${id}&order=desc`)).toEqual([7, 3, 2]);
    expect(await query("after=5")).toEqual([6, 7]);
    expect(await query(`actor=${log[1].actor.id}&limit=2`)).toEqual([2, 3]);
    const page = await ask("GET", "/api/events?limit=4", undefined, as);
    const next = await ask("GET", `/api/events?limit=4&cursor=${page.headers.get("x-next-cursor")}`, undefined, as);
    expect(next.body.data.map(({ seq }: { seq: number }) => seq)).toEqual([5, 6, 7]);
    for (const statement of ["update events set name = 'x'", "delete from events"])
      await expect(
        front.service.picket.db.run((sql) => sql.unsafe(`${statement} where workspace_id = '${member.workspaceId}'`)),
      ).rejects.toThrow(/append-only/);
  });
});
