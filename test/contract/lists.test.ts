/** What lists are asked, sensibly and not: queries that no list can answer, both orders, and reads that agree with each other. */
import { describe, expect, test } from "vitest";
import { useService } from "../support/frontDoor.ts";
import type { Answered } from "../support/picket.ts";

const front = useService();
const get = (path: string): Promise<Answered> => front.ask("GET", path);
const cursorOf = (text: string) => Buffer.from(text).toString("base64url");

const NASTY = [
  "",
  "AA",
  cursorOf("\u0000"),
  cursorOf("5"),
  cursorOf("0x10"),
  cursorOf("1e300"),
  cursorOf("9223372036854775808"),
  cursorOf("tsk_1"),
  cursorOf("\u{1f680}"),
  "1e30",
  "-1",
  "9223372036854775808",
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00+23:00",
  "9999-12-31T23:59:59-23:00",
  "2026-12-31T23:59:60Z",
  "2026-01-01T00:00:00Z[Europe/Berlin]",
  "2026-01-01T00:00:00.123456789123Z",
  "%",
  "*",
  "\\",
  "\u0000",
  "\u{1f680}",
  "1,2,3,4,5",
  "1e308,1e308",
];

describe("[TK-30] a query that no list can answer is 400 invalid_input", () => {
  test("no value of any query member is a 500", async () => {
    const document = (await get("/api/openapi.json")).body as {
      paths: Record<string, { get?: { parameters?: { in: string; name: string }[] } }>;
    };
    const asked = Object.entries(document.paths).flatMap(([path, { get: read }]) =>
      (read?.parameters ?? []).flatMap((parameter) => (parameter.in === "query" ? [[path, parameter.name]] : [])),
    );
    expect(asked.length).toBeGreaterThan(20);
    for (const [path, name] of asked) {
      if (path === "/api/stream") continue;
      const answers = await Promise.all(
        NASTY.map((value) => get(`${path!.replace(/\{\w+\}/, "x")}?${name}=${encodeURIComponent(value)}`)),
      );
      for (const [i, { status, text }] of answers.entries())
        expect(status, `${path}?${name}=${NASTY[i]}: ${text.slice(0, 200)}`).toBeLessThan(500);
    }
  });
  test.each([
    ["/api/tasks?cursor=", ["", "AA", cursorOf("5"), cursorOf("tsk_1"), cursorOf("evt_01jd0000000000000000000001")]],
    ["/api/events?cursor=", ["", "AA", cursorOf("0x10"), cursorOf("1e3"), cursorOf(" 5"), cursorOf("0")]],
    ["/api/events?after=", ["1e30", "9223372036854775808", "-1"]],
    ...["/api/tasks?since=", "/api/events?from=", "/api/events?to=", "/api/tracks/x/history?since="].map(
      (path) => [path, ["0000-01-01T00:00:00Z", "2026-12-31T23:59:60Z", "yesterday"]] as [string, string[]],
    ),
  ])("%s", async (path, values) => {
    for (const value of values) {
      const { status, body } = await get(path + encodeURIComponent(value));
      expect([value, status, body.code]).toEqual([value, 400, "invalid_input"]);
    }
  });
  test("a cursor that a list answered, and every valid time, is accepted", async () => {
    for (const path of [
      `/api/tasks?cursor=${cursorOf("tsk_01jd0000000000000000000001")}`,
      `/api/events?cursor=${cursorOf("9007199254740")}`,
      `/api/events?after=${Number.MAX_SAFE_INTEGER}`,
      "/api/tasks?since=0001-01-01T00:00:00Z",
      "/api/events?from=2026-01-01T00:00:00.5%2B05:30&to=9999-12-31T23:59:59Z",
    ])
      expect((await get(path)).status, path).toBe(200);
  });
});

test("[EV-3] after leaves out entries up to that seq in either order, and a cursor continues in the list's order", async () => {
  for (let i = 0; i < 6; i++)
    await front.service.request("POST", "/api/assets", {
      key: front.key,
      body: { name: `Event ${i}`, catalog_name: "quadrotor" },
    });
  const seqs = ({ body }: Answered) => body.data.map(({ seq }: { seq: number }) => seq);
  const all: number[] = seqs(await get("/api/events"));
  const [after] = all.slice(-5);
  const later = all.filter((seq) => seq > after!);
  expect(later).toHaveLength(4);
  expect(seqs(await get(`/api/events?after=${after}`))).toEqual(later);
  expect(seqs(await get(`/api/events?after=${after}&order=desc`))).toEqual(later.toReversed());
  const seen: number[] = [];
  let path: string | undefined = `/api/events?after=${after}&order=desc&limit=3`;
  while (path !== undefined) {
    const page: Answered = await get(path);
    seen.push(...seqs(page));
    path = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
  }
  expect(seen).toEqual(later.toReversed());
});

test("[EV-70] a cursor used with another order is refused", async () => {
  const asset = await front.made({ name: "Orders", catalog_name: "quadrotor" });
  for (let i = 0; i < 3; i++) await front.ask("POST", `/api/assets/${asset}/command`, { verb: "dance" });
  for (const list of ["/api/events", "/api/tasks"])
    for (const [order, other] of [
      ["desc", "asc"],
      ["asc", "desc"],
    ]) {
      const cursor = (await get(`${list}?limit=1&order=${order}`)).headers.get("x-next-cursor");
      const page = `${list}?limit=1&cursor=${cursor}`;
      const refused = await get(`${page}&order=${other}`);
      expect([refused.status, refused.body.code], page).toEqual([400, "invalid_input"]);
      expect(refused.body.error).toContain("order");
      expect((await get(page)).status, page).toBe(order === "asc" ? 200 : 400);
      expect((await get(`${page}&order=${order}`)).body.data, page).toHaveLength(1);
    }
});

test("[TK-31] the list shows each task as the single read does, progress included", async () => {
  const made = await front.ask("POST", "/api/assets", { name: "Percent", catalog_name: "quadrotor" });
  const { id } = made.body.data;
  await front.ask("POST", "/api/signals", {
    source_id: "gcs",
    modality: "blue_force",
    measured_at: Date.now(),
    asset_key: id,
    lat: 50,
    lon: 8,
    armed: true,
  });
  const commanded = await front.ask("POST", `/api/assets/${id}/command`, { verb: "hold" });
  const task = commanded.body.data;
  expect(task.status).toBe("queued");
  const room = front.service.picket.rooms.get(front.owner.workspaceId)!;
  room.commit(
    { op: "task_moved", task: { ...task, status_version: 5, progress_pct: 50 }, previous: "queued" },
    Date.now(),
  );
  const one = (await get(`/api/tasks/${task.id}`)).body.data;
  const [listed] = (await get(`/api/tasks?asset_id=${id}&status=queued`)).body.data;
  expect([one.status_version, one.progress_pct]).toEqual([5, 50]);
  expect(listed).toEqual(one);
});

test("[TK-32] confirm accepts the asset's name in any Unicode form", async () => {
  const name = "Überläufer é";
  const made = await front.ask("POST", "/api/assets", { name: name.normalize("NFD"), catalog_name: "quadrotor" });
  expect(made.body.data.name).toBe(name.normalize("NFC"));
  for (const form of ["NFC", "NFD"]) {
    const body = { verb: "disarm", dry_run: true, confirm: name.normalize(form) };
    const answer = await front.ask("POST", `/api/assets/${made.body.data.id}/command`, body);
    expect([form, answer.status]).toEqual([form, 200]);
  }
});

test("[EV-4] a change of the workspace's own settings is in the log with who made it", async () => {
  const { workspaceId } = front.owner;
  const session = { token: front.owner.token, workspace: workspaceId };
  const edited = await front.service.request("POST", `/api/workspaces/${workspaceId}`, {
    ...session,
    body: { name: "North gate" },
  });
  expect(edited.status, edited.text).toBe(200);
  const [entry] = (await get("/api/events?name=audit.workspace_edited")).body.data;
  expect(entry).toMatchObject({ actor: { kind: "user" }, subject: { kind: "workspace", id: workspaceId } });
  expect(entry.data).toEqual({ name: "North gate" });
});
